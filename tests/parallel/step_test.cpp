// SPDX-License-Identifier: MIT
#include "parallel/step.h"

#include "base/error.h"
#include "graph/memory.h"
#include "networks/network.h"
#include "parallel/layer_costs.h"

#include <gtest/gtest.h>

#include <chrono>

namespace strata::testing {

namespace {

// A network on one Titan X.
struct Case {
    explicit Case(const std::string& network, std::int64_t batch = 64)
        : graph(load_network({.network = network, .batch = batch, .dims = {}, .variables = {}})),
          device(find_description("titan-x")),
          prediction(predict_network(graph, execution, *model_of(device))) {}

    ParallelStep step(const ParallelPlan& plan, std::string_view links = "pcie-3-root") const {
        return parallel_step({graph, execution, prediction, device}, find_cluster(links), plan);
    }

    Graph graph;
    Execution execution;
    DeviceDescription device;
    NetworkPrediction prediction;
};

double sum_of_parts(const ParallelStep& step) {
    return (step.compute + step.encoding + step.exposed + step.bubble + step.waiting).value;
}

TEST(ParallelStep, OneDeviceTakesThePredictedTime) {
    const Case alexnet("alexnet");
    for (const auto strategy : {Strategy::data, Strategy::fsdp, Strategy::pipeline}) {
        const ParallelStep step = alexnet.step({.strategy = strategy, .devices = 1});
        EXPECT_NEAR(step.time / alexnet.prediction.time(), 1, 1e-9);
        EXPECT_NEAR(step.exchange.value, 0, 1e-15);
    }
    EXPECT_EQ(alexnet.step({.devices = 1}).memory.all(), footprint_of(alexnet.graph, {}).peak);
}

TEST(ParallelStep, TheStepIsTheSumOfItsPartsAndLayersOfTheWhole) {
    const Case resnet("resnet-18", 16);
    for (const auto strategy : {Strategy::data, Strategy::fsdp}) {
        for (const auto overlap : {Overlap::off, Overlap::on}) {
            for (const int bits : {32, 16, 1}) {
                const ParallelStep step = resnet.step({.strategy = strategy,
                                                       .devices = 4,
                                                       .overlap = overlap,
                                                       .gradient_bits = bits,
                                                       .bucket = Bytes{4e6}});
                EXPECT_NEAR(step.time.value, sum_of_parts(step), 1e-12);
                Seconds exchange, exposed;
                for (const LayerExchange& layer : step.layers) {
                    exchange += layer.exchange;
                    exposed += layer.exposed;
                    EXPECT_LE(layer.exposed.value, layer.exchange.value * (1 + 1e-9));
                }
                EXPECT_NEAR(exchange / step.exchange, 1, 1e-9);
                EXPECT_NEAR(exposed.value, step.exposed.value, 1e-12);
            }
        }
    }
}

TEST(ParallelStep, PlansOfEqualStepsAreEqual) {
    const ParallelPlan alone{.devices = 1};
    for (const auto strategy : {Strategy::data, Strategy::fsdp, Strategy::pipeline}) {
        EXPECT_EQ(effective({.strategy = strategy,
                             .devices = 1,
                             .overlap = Overlap::off,
                             .gradient_bits = 1,
                             .bucket = Bytes{1},
                             .zero = 2}),
                  alone);
    }
    const ParallelPlan stages{
        .strategy = Strategy::pipeline, .devices = 4, .stages = 4, .micro_batches = 2};
    ParallelPlan same = stages;
    same.overlap = Overlap::off;
    same.gradient_bits = 16;
    EXPECT_EQ(effective(same), stages);
    const ParallelPlan third{.devices = 4, .zero = 3};
    EXPECT_EQ(effective(third), effective({.strategy = Strategy::fsdp, .devices = 4, .zero = 1}));
    for (const ParallelPlan& other :
         {ParallelPlan{.devices = 4, .overlap = Overlap::off},
          ParallelPlan{.devices = 4, .gradient_bits = 1}, ParallelPlan{.devices = 4, .zero = 1}}) {
        EXPECT_EQ(effective(other), other);
    }
}

TEST(ParallelStep, WithoutOverlapAllOfTheExchangeIsExposed) {
    const Case alexnet("alexnet");
    const ParallelStep off = alexnet.step({.devices = 4, .overlap = Overlap::off});
    const ParallelStep on = alexnet.step({.devices = 4, .overlap = Overlap::on});
    EXPECT_NEAR(off.exposed / off.exchange, 1, 1e-9);
    EXPECT_EQ(off.hidden(), Seconds{});
    EXPECT_NEAR(on.exchange / off.exchange, 1, 1e-9);
    EXPECT_LT(on.exposed, off.exposed);
    EXPECT_GT(on.hidden(), Seconds{});
}

TEST(ParallelStep, OneBitIsExactlyAThirtySecondOfTheBytes) {
    const Case alexnet("alexnet");
    const auto bytes = [&](int bits) {
        Bytes sum;
        for (const LayerExchange& layer :
             alexnet.step({.devices = 2, .gradient_bits = bits}).layers) {
            sum += layer.bytes;
        }
        return sum;
    };
    EXPECT_EQ(bytes(32).value, 4.0 * static_cast<double>(parameter_count(alexnet.graph)));
    EXPECT_EQ(bytes(1).value * 32, bytes(32).value);
    EXPECT_EQ(bytes(16).value * 2, bytes(32).value);
    EXPECT_GT(alexnet.step({.devices = 2, .gradient_bits = 1}).encoding, Seconds{});
}

TEST(ParallelStep, FirstBucketsHideBehindTheRestOfTheBackwardPass) {
    const Case alexnet("alexnet");
    const ParallelStep small = alexnet.step({.devices = 2, .bucket = Bytes{1e6}});
    const ParallelStep whole = alexnet.step({.devices = 2, .bucket = Bytes{1e9}});
    EXPECT_LT(small.exposed, whole.exposed);
    EXPECT_NEAR(whole.exposed / whole.exchange, 1, 1e-9);  // one bucket ends with the first layer
    EXPECT_EQ(alexnet.graph.layers[small.layers.front().layer].name, "conv1");
    EXPECT_GT(small.layers.front().exposed, small.layers.back().exposed);  // fc8 is sent first
}

TEST(ParallelStep, ZeroDividesMoreMemoryAtEachStage) {
    const Case resnet("resnet-18", 4);
    Bytes before{1e18};
    for (const int stage : {0, 1, 2, 3}) {
        const ParallelStep step =
            resnet.step({.strategy = stage == 3 ? Strategy::fsdp : Strategy::data,
                         .devices = 8,
                         .bucket = Bytes{1e6},
                         .zero = stage});
        EXPECT_LT(step.memory.all(), before) << stage;
        before = step.memory.all();
        const DeviceMemory& parts = step.memory;
        EXPECT_EQ((parts.parameters + parts.gradients + parts.optimizer + parts.passes), before);
        EXPECT_EQ(parts.gradients < 4.0 * Bytes{static_cast<double>(parameter_count(resnet.graph))},
                  stage >= 2);
    }
}

TEST(ParallelStep, RecomputingAddsAForwardPass) {
    const Case alexnet("alexnet");
    const Seconds kept = alexnet.step({.devices = 2}).compute;
    const Seconds again =
        alexnet.step({.devices = 2, .activations = Activations::recomputed}).compute;
    Seconds forward;
    for (const PredictedStep& step : alexnet.prediction.steps) {
        forward += step.pass == Pass::forward ? step.time() : Seconds{};
    }
    EXPECT_NEAR((again - kept) / forward, 1, 1e-9);
}

TEST(ParallelStep, TheOthersWaitForTheSlowest) {
    EXPECT_EQ(slowest_of(1, 0.1), 1);
    EXPECT_EQ(slowest_of(64, 0), 1);
    EXPECT_NEAR(slowest_of(2, 0.1), 1 + 0.1 * 0.5642, 0.003);    // 1 / sqrt(pi)
    EXPECT_NEAR(slowest_of(100, 0.1), 1 + 0.1 * 2.5076, 0.003);  // Harter 1961
    const Case alexnet("alexnet");
    EXPECT_GT(alexnet.step({.devices = 4, .spread = 0.05}).waiting, Seconds{});
}

TEST(ParallelStep, WhatIsNotModelledIsRefused) {
    const Case alexnet("alexnet");
    EXPECT_THROW(alexnet.step({.strategy = Strategy::expert, .devices = 2}), Error);
    EXPECT_THROW(alexnet.step({.strategy = Strategy::fsdp, .devices = 4, .stages = 2}), Error);
    EXPECT_THROW(alexnet.step({.strategy = Strategy::pipeline, .devices = 64}, "infiniband-ndr"),
                 Error);
}

// A device's part of a network whose layers so many V100 share.
struct SharedCase {
    SharedCase(const std::string& network, std::int64_t batch, int devices)
        : whole(load_network({.network = network, .batch = batch, .dims = {}, .variables = {}})),
          split(tensor_split(whole, devices)),
          device(find_description("v100")),
          prediction(predict_network(split.graph, execution, *model_of(device))) {}

    ParallelStep step(const ParallelPlan& plan) const {
        return parallel_step({split.graph, execution, prediction, device, split.exchanges},
                             find_cluster("dgx-1-v100"), plan);
    }

    Graph whole;
    TensorSplit split;
    Execution execution;
    DeviceDescription device;
    NetworkPrediction prediction;
};

constexpr const char* small_transformer =
    "transformer:layers=4,embed=1024,heads=16,inner=4096,length=512,vocabulary=32000";

TEST(SharedLayers, DevicesWaitForSumsOfResultsAndHideSumsOfGradients) {
    const SharedCase four(small_transformer, 8, 4);
    const ParallelPlan plan{.strategy = Strategy::tensor, .devices = 4};
    ParallelPlan alone = plan;
    alone.overlap = Overlap::off;
    const ParallelStep on = four.step(plan), off = four.step(alone);
    EXPECT_NEAR(on.time.value, sum_of_parts(on), 1e-12);
    EXPECT_EQ(on.compute, off.compute);
    EXPECT_NEAR(off.exposed / off.exchange, 1, 1e-9);
    EXPECT_LT(on.exposed, off.exposed);
    // Two sums of results in each layer, one of the table and three of a loss cannot be hidden.
    const Cluster cluster = find_cluster("dgx-1-v100");
    const Seconds sum = time_of(cluster, Collective::all_reduce, 4, Bytes{8 * 512 * 1024 * 4});
    EXPECT_GE(on.exposed, 9 * sum);
    EXPECT_LT(on.exposed, 11 * sum);
    Seconds exchange, exposed;
    for (const LayerExchange& layer : on.layers) {
        exchange += layer.exchange;
        exposed += layer.exposed;
    }
    EXPECT_NEAR(exchange / on.exchange, 1, 1e-9);
    EXPECT_NEAR(exposed / on.exposed, 1, 1e-9);
    EXPECT_EQ(on.memory.all(), footprint_of(four.split.graph, {}).peak);
}

TEST(SharedLayers, ReplicasAddTheExchangeOfTheirGradients) {
    const SharedCase two(small_transformer, 4, 2);
    const ParallelStep pair = two.step({.strategy = Strategy::tensor, .devices = 2});
    const ParallelStep eight = two.step({.devices = 8, .tensor = 2});
    EXPECT_NEAR(eight.compute / pair.compute, 1, 1e-9);
    EXPECT_GT(eight.exchange, pair.exchange);
    Bytes pairs, eights;
    for (const LayerExchange& layer : pair.layers) {
        pairs += layer.bytes;
    }
    for (const LayerExchange& layer : eight.layers) {
        eights += layer.bytes;
    }
    EXPECT_NEAR((eights - pairs).value, 4.0 * static_cast<double>(parameter_count(two.split.graph)),
                1);
    // Stages exchange the gradients of their own layers, after the last backward pass.
    const ParallelStep stages =
        two.step({.devices = 8, .tensor = 2, .stages = 2, .micro_batches = 4});
    EXPECT_NEAR(stages.time.value, sum_of_parts(stages), 1e-12);
    EXPECT_GT(stages.bubble, Seconds{});
    EXPECT_GT(two.step({.devices = 8, .tensor = 2, .stages = 2, .micro_batches = 4}).exposed,
              two.step({.devices = 4, .tensor = 2, .stages = 2, .micro_batches = 4}).exposed);
    EXPECT_LT(two.step({.devices = 8, .tensor = 2, .zero = 3}).memory.all(), eight.memory.all());
    EXPECT_THROW(two.step({.devices = 8, .tensor = 2, .stages = 2, .zero = 3}), Error);
    EXPECT_THROW(two.step({.devices = 6, .tensor = 4}), Error);
    EXPECT_THROW(two.step({.devices = 8, .tensor = 1 << 16, .stages = 1 << 16}), Error);
}

TEST(SharedLayers, AllDevicesShareLayersUnlessItIsSaidHowMany) {
    const ParallelPlan all = effective({.strategy = Strategy::tensor, .devices = 4});
    EXPECT_EQ(all.tensor, 4);
    EXPECT_EQ(all, effective({.devices = 4, .tensor = 4}));
    EXPECT_EQ(effective({.strategy = Strategy::tensor, .devices = 8, .tensor = 4}),
              effective({.devices = 8, .tensor = 4}));
    EXPECT_EQ(effective({.devices = 4, .stages = 4}),
              effective({.strategy = Strategy::pipeline, .devices = 4}));
    EXPECT_EQ(effective({.strategy = Strategy::tensor, .devices = 1}), ParallelPlan());
}

TEST(Units, CoverAllLayersOnceAndFillTheirBuckets) {
    const Case resnet("resnet-18", 4);
    const auto costs =
        layer_costs({resnet.graph, resnet.execution, resnet.prediction, resnet.device},
                    find_cluster("pcie-3-root"), {.devices = 2});
    double values = 0;
    LayerId next = costs.size();
    for (const Unit& unit : units_of(costs, Bytes{4e6})) {
        EXPECT_EQ(unit.last + 1, next);
        next = unit.first;
        values += unit.values;
        EXPECT_TRUE(unit.parameters >= Bytes{4e6} || unit.first == 0);
    }
    EXPECT_EQ(next, 0U);
    EXPECT_EQ(values, static_cast<double>(parameter_count(resnet.graph)));
}

}  // namespace

}  // namespace strata::testing
