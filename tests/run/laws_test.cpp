// SPDX-License-Identifier: MIT Laws that predictions obey, over networks,
// devices, element types and modes. The pairs are drawn by a fixed rule, so
// that each network and each device occurs; bench/predict/laws tries all of
// them.
#include "analyze/bottleneck.h"
#include "networks/network.h"
#include "run/execute.h"
#include "run/modelled.h"
#include "view/layer_work.h"

#include <gtest/gtest.h>

#include <vector>

namespace strata {
namespace {

constexpr double rounding = 1.01;

struct Case {
    std::string network;
    std::string device;
    DataType dtype;
    Mode mode;
};

// Networks that take a second to predict are only in the benchmark.
std::vector<Case> drawn_cases() {
    const std::vector<std::string> networks = {
        "alexnet",   "squeezenet",    "resnet-50",    "mobilenet-v2",  "googlenet",
        "vgg-11",    "densenet-121",  "bert-base",    "gpt-2",         "efficientnet-b0",
        "swin-tiny", "shufflenet-v2", "inception-v3", "convnext-tiny", "unet"};
    const std::vector<DataType> types = {DataType::f32, DataType::bf16, DataType::f16};
    std::vector<Case> cases;
    std::size_t drawn = 0;
    for (const EmbeddedFile& device : device_files()) {
        for (std::size_t i = 0; i < 3; ++i, ++drawn) {
            cases.push_back({networks[(7 * drawn + i) % networks.size()], std::string(device.name),
                             types[i], drawn % 2 == 0 ? Mode::training : Mode::inference});
        }
    }
    return cases;
}

std::string name_of_case(const Case& one) {
    return one.network + " on " + one.device + " in " + std::string(name_of(one.dtype)) + ", " +
           std::string(name_of(one.mode));
}

Run predicted(const Case& one) {
    Job job;
    job.backend = modelled_backend(one.device);
    job.request = {.network = one.network, .batch = 4, .dims = {}, .variables = {}};
    job.execution.numerics = {.mode = one.mode, .dtype = one.dtype};
    const auto device = model_of(find_description(one.device));
    set_device(job, device->device());
    job = planned(job);
    return modelled_run(job, *device, predict_network(job.plan->graph, job.execution, *device));
}

bool saves_operations(const StepResult& step) {
    return step.algorithm.starts_with("winograd") || step.algorithm.starts_with("fft");
}

TEST(Laws, NoPredictedStepIsFasterThanItsNamedCeiling) {
    std::size_t judged = 0;
    for (const Case& one : drawn_cases()) {
        const strata::Run run = predicted(one);
        const auto bounds = bounds_of(run);
        for (std::size_t i = 0; i < bounds.size(); ++i) {
            const StepResult& step = run.steps[i];
            if (bounds[i].achieved && !saves_operations(step)) {
                ++judged;
                EXPECT_LE(*bounds[i].achieved, rounding)
                    << name_of_case(one) << ": " << step.layer << " " << name_of(step.pass) << ", "
                    << bounds[i].ceiling;
            }
        }
    }
    EXPECT_GT(judged, 5000U);
}

TEST(Laws, NoTimeIsBelowTheUncachedTrafficOverTheMemorysBandwidth) {
    for (const Case& one : drawn_cases()) {
        const strata::Run run = predicted(one);
        const Device& device = *run.device;
        Bytes held;
        for (const MemoryLevel& level : device.memory) {
            held = std::max(held, level.capacity.value_or(Bytes{}));
        }
        for (const StepResult& step : run.steps) {
            const auto* samples = std::get_if<Samples>(&step.time);
            if (samples != nullptr && !samples->values.empty()) {
                const Bytes beyond = step.read + step.written - held;
                EXPECT_GE(samples->values.front() * rounding,
                          beyond / device.memory.back().bandwidth.value)
                    << name_of_case(one) << ": " << step.layer << " " << name_of(step.pass);
            }
        }
    }
}

TEST(Laws, EveryDeviceNamesItsCachesAndTheSourceOfTheirBandwidth) {
    for (const EmbeddedFile& file : device_files()) {
        const DeviceDescription described = find_description(file.name);
        const Device device = ceilings_of(described);
        // A last level that holds no more than the one before it holds nothing else.
        const bool has_l3 =
            described.l3 && (!described.l2 || described.l3->value > described.l2->value);
        EXPECT_EQ(device.memory.size(), 1U + (described.l2 ? 1U : 0U) + (has_l3 ? 1U : 0U))
            << file.name;
        for (std::size_t i = 0; i + 1 < device.memory.size(); ++i) {
            const bool is_stated = described.l2_bandwidth && device.memory[i].name == "L2";
            EXPECT_EQ(device.memory[i].bandwidth.source.starts_with("derived"), !is_stated)
                << file.name;
            EXPECT_GT(device.memory[i].bandwidth.value, device.memory.back().bandwidth.value)
                << file.name;
        }
    }
}

// `show` counts the work that `predict` assumes, pass by pass, without the steps between layers.
TEST(Laws, ShowAndPredictCountTheSameWork) {
    for (const char* network : {"alexnet", "bert-base", "gpt-2", "resnet-50"}) {
        for (const Mode mode : {Mode::training, Mode::inference}) {
            for (const DataType dtype : {DataType::f32, DataType::bf16}) {
                const Case one{network, "h100", dtype, mode};
                Job job;
                job.request = {.network = network, .batch = 4, .dims = {}, .variables = {}};
                job.execution.numerics = {.mode = mode, .dtype = dtype};
                const Graph graph = planned(job).plan->graph;
                const NetworkWork shown = work_of(graph, conventions().front(), job.execution);
                Flops flops;
                Bytes traffic;
                for (const StepResult& step : predicted(one).steps) {
                    if (step.kind == StepKind::compute) {
                        flops += step.flops;
                        traffic += step.read + step.written;
                    }
                }
                Flops shown_flops;
                Bytes shown_traffic;
                for (const auto& pass : shown.passes) {
                    const PassWork work = pass.value_or(PassWork{});
                    shown_flops += work.flops;
                    shown_traffic += work.read + work.written;
                }
                EXPECT_DOUBLE_EQ(flops.value, shown_flops.value) << name_of_case(one);
                EXPECT_DOUBLE_EQ(traffic.value, shown_traffic.value) << name_of_case(one);
            }
        }
    }
}

}  // namespace
}  // namespace strata
