// SPDX-License-Identifier: MIT
#include "backend/cuda/engine.h"
#include "networks/network.h"
#include "tests/backend/cuda/cards.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

// The whole zoo on one GPU of each generation, in each type, with cuDNN's own plans. No device is
// needed: cuDNN plans for a described one.
namespace strata::testing {

namespace {

using cuda::DeviceProperties;
using cuda::Program;

constexpr std::array types = {"f32", "tf32", "f16", "bf16"};

Execution execution_of(std::string_view type, Mode mode) {
    Execution execution{.numerics = {.mode = mode}};
    execution.numerics.dtype = type == "f16"    ? DataType::f16
                               : type == "bf16" ? DataType::bf16
                                                : DataType::f32;
    if (type == "tf32") {
        execution.numerics.single_precision = SinglePrecision::tf32;
    }
    return execution;
}

// The result for the zoo in one type and mode on one card.
struct Tally {
    int steps = 0;
    int planned = 0;  // by cuDNN's convolution engines
    Bytes largest_workspace = {};
    std::string largest_step = {};
};

// The memory that a plan may need besides its operands: cuBLASLt gets 32 MiB, and cuDNN converts or
// transposes operands, in f32 if they are narrower; weight gradients are summed in parts.
Bytes bound_on_workspace(const Program::PlannedStep& planned) {
    constexpr double always = 128 << 20;
    constexpr double times_operands = 4;
    double operands = 0;
    for (const cuda::Call& call : planned.calls) {
        for (const cuda::TensorView& view : call.views) {
            operands += static_cast<double>(view.bytes());
        }
    }
    return {always + times_operands * operands};
}

void count(const Graph& graph, const Program& program, const std::string& network, Tally& tally) {
    for (const Program::PlannedStep& planned : program.steps) {
        const Step& step = planned.step;
        const std::string name =
            fmt::format("{} {} {}", network, graph.layers[step.layer].name, name_of(step.pass));
        EXPECT_EQ(step.refusal(), "") << name;
        EXPECT_LE(step.workspace.value, bound_on_workspace(planned).value)
            << name << " " << step.implementation;
        ++tally.steps;
        tally.planned += step.implementation.starts_with("cudnn:eng") ? 1 : 0;
        if (step.workspace.value > tally.largest_workspace.value) {
            tally.largest_workspace = step.workspace;
            tally.largest_step = name;
        }
    }
}

Tally tally_of_zoo(const DeviceProperties& device, const Execution& execution) {
    Tally tally;
    for (const ZooNetwork& network : zoo()) {
        const Graph trained = network.build(32);
        const bool trains = execution.numerics.mode == Mode::training;
        const Graph graph = trains ? trained : for_inference(trained);
        count(graph, cuda::prepare_program(graph, execution, device), std::string(network.name),
              tally);
    }
    return tally;
}

class Plans : public ::testing::TestWithParam<int> {};

// Prints a table. A type that the chip lacks is refused as a whole, before anything is prepared.
TEST_P(Plans, ThereIsOneForEachStepOfTheZooInEveryType) {
    const DeviceProperties device = described_card(GetParam());
    for (const char* type : types) {
        for (const Mode mode : {Mode::training, Mode::inference}) {
            // Inference runs the forward steps of training without the folded ones; one generation
            // shows that.
            if (mode == Mode::inference && device.compute_capability != 90) {
                continue;
            }
            const char* mode_name = mode == Mode::training ? "training" : "inference";
            const Execution execution = execution_of(type, mode);
            const std::string refusal = cuda::refusal_of_type(device, execution);
            const bool is_of_ampere = type == types[1] || type == types[3];
            EXPECT_EQ(refusal.empty(), device.compute_capability >= 80 || !is_of_ampere);
            if (!refusal.empty()) {
                fmt::print("sm_{:<4} {:5} {:10} refused: {}\n", device.compute_capability, type,
                           mode_name, refusal);
                continue;
            }
            const Tally tally = tally_of_zoo(device, execution);
            EXPECT_GT(tally.planned, 1000);
            fmt::print(
                "sm_{:<4} {:5} {:10} {:6} steps, {:5} by cuDNN's plans, workspace at most {:5.0f} "
                "MB ({})\n",
                device.compute_capability, type, mode_name, tally.steps, tally.planned,
                tally.largest_workspace.value / 1e6, tally.largest_step);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Of, Plans, ::testing::ValuesIn(described_generations),
                         [](const auto& of) { return fmt::format("sm_{}", of.param); });

}  // namespace

}  // namespace strata::testing
