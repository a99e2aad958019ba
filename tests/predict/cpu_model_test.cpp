// SPDX-License-Identifier: MIT
#include "predict/cpu_model.h"

#include "base/error.h"
#include "networks/network.h"
#include "predict/network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace strata::testing {

namespace {

// Invented rates, so that no test depends on a machine.
constexpr std::string_view some_rates = R"(
source = "chosen for tests"
l2 = 0.7
l3 = 0.25
dram = 0.8
share = 0.5
[[product]]
family = "convolution forward"
call_s = 1e-6
efficiency = 0.9
sum = 10
row = 0.5
columns = 1
traffic = 1.1
[[stream]]
pass = "relu forward"
call_s = 2e-7
operations = 3
traffic = 1.2
)";

Execution execution_in(Mode mode) {
    Execution execution;
    execution.numerics.mode = mode;
    return execution;
}

Graph network_in(const std::string& name, std::int64_t batch, Mode mode) {
    Graph graph = load_network({.network = name, .batch = batch, .dims = {}, .variables = {}});
    return mode == Mode::inference ? for_inference(std::move(graph)) : graph;
}

std::vector<DeviceDescription> described_cpus() {
    std::vector<DeviceDescription> all;
    for (const EmbeddedFile& file : device_files()) {
        DeviceDescription device = find_description(file.name);
        if (device.kind == DeviceKind::cpu) {
            all.push_back(std::move(device));
        }
    }
    return all;
}

std::unique_ptr<DeviceModel> with_some_rates(const DeviceDescription& device) {
    return cpu_model({device, parse_cpu_rates(some_rates, "some rates")});
}

TEST(CpuModel, EveryNetworkOfTheZooHasATimeOnEveryDescribedCpu) {
    for (const DeviceDescription& described : described_cpus()) {
        const auto device = model_of(described);
        for (const ZooNetwork& zoo_network : zoo()) {
            for (const Mode mode : {Mode::training, Mode::inference}) {
                const Graph graph = network_in(std::string(zoo_network.name), 2, mode);
                const auto found = predict_network(graph, execution_in(mode), *device);
                EXPECT_EQ(found.refused(), 0U) << zoo_network.name << " on " << described.name;
                EXPECT_TRUE(found.time() > Seconds{} && std::isfinite(found.time().value))
                    << zoo_network.name << " on " << described.name;
            }
        }
    }
}

TEST(CpuModel, NothingIsFasterThanItsArithmeticAtThePeakOrItsTermsAlone) {
    for (const DeviceDescription& described : described_cpus()) {
        const auto device = with_some_rates(described);
        const FlopRate peak = ceilings_for_rates(described).peak;
        const Graph graph = network_in("vgg-16", 4, Mode::training);
        for (const PredictedStep& step :
             predict_network(graph, execution_in(Mode::training), *device).steps) {
            for (const KernelPrediction& kernel : step.kernels) {
                EXPECT_GE(kernel.time.value, (kernel.flops / peak).value * (1 - 1e-9));
                for (const Term term : all_terms) {
                    EXPECT_GE(kernel.time.value, kernel.terms[term].value * (1 - 1e-9));
                }
            }
        }
    }
}

TEST(CpuModel, ItsOperationsAreAtLeastThoseThatTheLayersNeed) {
    const auto device = with_some_rates(find_description("skylake-8180"));
    const Graph graph = network_in("resnet-50", 2, Mode::training);
    Execution execution = execution_in(Mode::training);
    execution.engine.algorithm = ConvolutionAlgorithm::direct;
    for (const PredictedStep& step : predict_network(graph, execution, *device).steps) {
        const Layer& layer = graph.layers[step.layer];
        if (!std::holds_alternative<Convolution>(layer.op) || step.pass == Pass::update ||
            step.kind != StepKind::compute) {
            continue;
        }
        const Work work = work_of(layer.op, signature_of(graph, layer), step.pass);
        EXPECT_GE(step.kernels.front().flops.value, 2 * work.operations.multiply_adds * (1 - 1e-9))
            << layer.name << " " << name_of(step.pass);
    }
}

TEST(CpuModel, ConvolutionsTakeTheShareOfTheAlgorithmThatTheEngineRuns) {
    const auto device = with_some_rates(find_description("skylake-8180"));
    const Graph graph = network_in("vgg-16", 4, Mode::training);
    Execution execution = execution_in(Mode::training);
    const auto steps = predict_network(graph, execution, *device).steps;
    execution.engine.algorithm = ConvolutionAlgorithm::direct;
    const auto direct = predict_network(graph, execution, *device).steps;
    std::size_t faster = 0;
    double fastest = 1;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].kind == StepKind::compute && steps[i].pass != Pass::update &&
            steps[i].kernels.front().algorithm == "winograd-4x4-3x3") {
            EXPECT_EQ(direct[i].kernels.front().algorithm, "direct");
            const double share = steps[i].kernels.front().time / direct[i].kernels.front().time;
            EXPECT_LT(share, 0.9);
            ++faster;
            fastest = std::min(fastest, share);
        } else {
            EXPECT_EQ(steps[i].time(), direct[i].time());
        }
    }
    EXPECT_GT(faster, 30U);  // of 12 layers' three passes, all but the first layer's
    EXPECT_LT(fastest, 0.4) << "held to the peak's time for all operations of the definition";
}

TEST(CpuModel, MoreExamplesNeverTakeLessTime) {
    for (const DeviceDescription& described : described_cpus()) {
        const auto device = with_some_rates(described);
        for (const char* name : {"alexnet", "mobilenet-v1", "lstm:layers=1,embed=64"}) {
            Seconds before;
            for (const std::int64_t batch : {1, 2, 4, 8, 16, 64}) {
                const Seconds time = predict_network(network_in(name, batch, Mode::training),
                                                     execution_in(Mode::training), *device)
                                         .time();
                EXPECT_GE(time, before) << name << " " << batch << " on " << described.name;
                before = time;
            }
        }
    }
}

TEST(CpuModel, MoreOfAResourceNeverSlowsANetworkAndAllOfThemHalveIt) {
    const Graph graph = network_in("alexnet", 4, Mode::training);
    const Execution execution = execution_in(Mode::training);
    for (const DeviceDescription& described : described_cpus()) {
        const auto device = with_some_rates(described);
        const Seconds time = predict_network(graph, execution, *device).time();
        auto better = device->scaled(Resource::compute, 1);
        for (const Resource resource : all_resources) {
            EXPECT_LE(predict_network(graph, execution, *device->scaled(resource, 2)).time().value,
                      time.value * (1 + 1e-9))
                << name_of(resource) << " of " << described.name;
            if (resource != Resource::l2_size) {
                better = better->scaled(resource, 2);
            }
        }
        EXPECT_NEAR(predict_network(graph, execution, *better).time() / time, 0.5, 1e-6)
            << described.name;
    }
}

TEST(CpuModel, TheSameIsPredictedEveryTime) {
    const Graph graph = network_in("googlenet", 2, Mode::training);
    const Execution execution = execution_in(Mode::training);
    const auto device = with_some_rates(find_description("epyc-7763"));
    EXPECT_EQ(predict_network(graph, execution, *device).time(),
              predict_network(graph, execution, *device).time());
}

TEST(CpuModel, AByteTakesNoLessTimeWhereLessFitsACache) {
    const CpuCeilings ceilings = ceilings_for_rates(find_description("skylake-8180"));
    const CpuRates rates = parse_cpu_rates(some_rates, "some rates");
    double before = 0;
    for (double bytes = 1e4; bytes < 1e10; bytes *= 2) {
        const CpuWork work{.family = "relu forward", .parameters = {}, .streamed = Bytes{bytes}};
        const KernelPrediction found =
            predict_on_cpu(work, ceilings, rates, Surroundings::network, Mode::inference);
        const double moving = (found.time - found.terms[Term::launch]).value / bytes;
        EXPECT_GE(moving, before * (1 - 1e-9)) << bytes;
        before = moving;
    }
    EXPECT_NEAR(before * 128e9 * 0.8 / 1.2, 1, 0.05);  // all from memory
}

// The only work of an operator's pass, from text.
CpuWork work_of_operator(const std::string& text, Pass pass) {
    const Graph graph = load_network({.network = text, .batch = {}, .dims = {}, .variables = {}});
    const Execution execution = execution_in(Mode::training);
    const Layer& layer = graph.layers.front();
    const Signature signature = signature_of(graph, layer);
    const auto works = work_on_cpu({layer.op, signature, pass, execution});
    EXPECT_EQ(works.size(), 1U) << text;
    return works.front();
}

TEST(CpuModel, ConvolutionsWhoseLoopsDifferHaveRatesOfTheirOwn) {
    const auto family = [](const std::string& window, int channels, int groups) {
        return work_of_operator("convolution(1x" + std::to_string(channels) +
                                    "x14x14) out_channels=" + std::to_string(channels) +
                                    " kernel=" + window + " groups=" + std::to_string(groups),
                                Pass::backward_weights)
            .family;
    };
    EXPECT_EQ(family("3x3", 64, 1), "convolution backward_weights");
    EXPECT_EQ(family("1x1", 64, 1), "pointwise backward_weights");
    EXPECT_EQ(family("3x3", 3, 1), "few-channel backward_weights");
    EXPECT_EQ(family("3x3", 64, 64), "depthwise backward_weights");
    EXPECT_EQ(family("5x5", 64, 64), "wide-depthwise backward_weights");
    EXPECT_EQ(family("3x3", 64, 4), "grouped backward_weights");
    EXPECT_EQ(family("3x3", 64, 16), "narrow-grouped backward_weights");
}

TEST(CpuModel, AnEmbeddingReadsNoMoreOfALargerTable) {
    const CpuWork small = work_of_operator("embedding(64:s64) rows=100 width=32", Pass::forward);
    const CpuWork large = work_of_operator("embedding(64:s64) rows=10000 width=32", Pass::forward);
    EXPECT_EQ(small.streamed, large.streamed);
    EXPECT_GT(small.streamed, Bytes{64 * 32 * 4});
}

TEST(CpuModel, NothingIsFasterInANetworkThanAlone) {
    const CpuCeilings ceilings = ceilings_for_rates(find_description("skylake-8180"));
    const CpuRates rates = parse_cpu_rates(some_rates, "some rates");
    for (const char* const family : {"relu forward", "convolution forward"}) {
        for (double bytes = 1e4; bytes < 1e9; bytes *= 3) {
            const CpuWork work{.family = family,
                               .is_product = std::string_view(family) == "convolution forward",
                               .operations = bytes,
                               .parameters = Bytes{bytes / 8},
                               .streamed = Bytes{bytes}};
            for (const Mode mode : {Mode::training, Mode::inference}) {
                const auto time = [&](Surroundings surroundings) {
                    return predict_on_cpu(work, ceilings, rates, surroundings, mode).time.value;
                };
                EXPECT_GE(time(Surroundings::network), time(Surroundings::alone) * (1 - 1e-9))
                    << family << " " << bytes;
            }
        }
    }
}

TEST(CpuModel, EveryStepOfARecurrentLayerPaysItsCall) {
    const CpuCeilings ceilings = ceilings_for_rates(find_description("skylake-8180"));
    const CpuRates rates = parse_cpu_rates(some_rates, "some rates");
    CpuWork step{.family = "convolution forward",
                 .is_product = true,
                 .operations = 100,
                 .parameters = {},
                 .streamed = Bytes{64}};
    const auto time = [&] {
        return predict_on_cpu(step, ceilings, rates, Surroundings::alone, Mode::inference).time;
    };
    const Seconds one = time();
    step.repeats = 20;
    EXPECT_NEAR(time() / one, 20, 1e-6);
}

TEST(CpuModel, OtherTypesThanF32HaveNoModelYet) {
    Execution execution = execution_in(Mode::inference);
    execution.numerics.dtype = DataType::bf16;
    const auto found = predict_network(network_in("alexnet", 1, Mode::inference), execution,
                                       *with_some_rates(find_description("skylake-8180")));
    EXPECT_GT(found.refused(), 0U);
}

TEST(CpuRates, AFileIsReadAsItWasWritten) {
    const CpuRates rates = parse_cpu_rates(some_rates, "some rates");
    const CpuRates again = parse_cpu_rates(to_toml(rates, "again"), "again");
    EXPECT_EQ(again.products.at("convolution forward").efficiency, 0.9);
    EXPECT_EQ(again.streams.at("relu forward").call, Seconds{2e-7});
    EXPECT_EQ(again.l3, 0.25);
    EXPECT_EQ(to_toml(again, "x"), to_toml(rates, "x"));
}

TEST(CpuRates, RatesThatCannotBeAreRefusedWithTheirPlace) {
    for (const char* broken :
         {"l2 = 1", "source = \"x\"\nl2 = 0", "source = \"x\"\nl2 = -1", "source = \"x\"\nl4 = 1",
          "source = \"x\"\nl2 = \"fast\"", "source = \"x\"\n[[stream]]\ncall_s = 1",
          "source = \"x\"\n[[product]]\nfamily = \"a\"\ncall_s = inf", "source = "}) {
        EXPECT_THROW(parse_cpu_rates(broken, "broken"), Error) << broken;
    }
}

TEST(CpuRates, ADescriptionThatLacksWhatTheModelNeedsSaysSo) {
    DeviceDescription device = find_description("skylake-8180");
    device.dram_bandwidth.reset();
    EXPECT_THROW(ceilings_for_rates(device), Error);
    device = find_description("skylake-8180");
    device.processors.reset();
    EXPECT_THROW(ceilings_for_rates(device), Error);
}

TEST(CpuRates, ChangesToTheDeviceAreFollowed) {
    const Graph graph = network_in("alexnet", 4, Mode::inference);
    const Execution execution = execution_in(Mode::inference);
    const DeviceDescription device = find_description("skylake-8180");
    const Seconds time = predict_network(graph, execution, *model_of(device)).time();
    EXPECT_LT(predict_network(graph, execution, *model_of(device, {"dram_bandwidth=2x"})).time(),
              time);
    EXPECT_GT(predict_network(graph, execution, *model_of(device, {"launch=100x"})).time(), time);
    EXPECT_THROW(model_of(device, {"launch=3us"}), Error);
    EXPECT_THROW(model_of(device, {"speed=2x"}), Error);
}

}  // namespace

}  // namespace strata::testing
