// SPDX-License-Identifier: MIT
#include "parallel/step.h"

#include "graph/memory.h"
#include "networks/network.h"

#include <gtest/gtest.h>

#include <numeric>

namespace strata::testing {

namespace {

TEST(Pipeline, StagesAreAsEvenAsLayersAllow) {
    const std::vector<Seconds> layers = {Seconds{4}, Seconds{1}, Seconds{1},
                                         Seconds{2}, Seconds{3}, Seconds{1}};
    EXPECT_EQ(balanced_stages(layers, 3), (std::vector<LayerId>{0, 3, 5}));
    EXPECT_EQ(balanced_stages(layers, 1), (std::vector<LayerId>{5}));
    EXPECT_EQ(balanced_stages(layers, 6), (std::vector<LayerId>{0, 1, 2, 3, 4, 5}));
    const std::vector<Seconds> equal(8, Seconds{1});
    EXPECT_EQ(balanced_stages(equal, 4), (std::vector<LayerId>{1, 3, 5, 7}));
}

// Narayanan et al. 2021: the bubble is (p - 1) / m of the ideal time.
TEST(Pipeline, TheBubbleOfEqualStagesIsTheirNumberLessOneOverTheMicroBatches) {
    const Graph graph = load_network({.network = "fc:layers=8,nodes=512,inputs=512,outputs=512",
                                      .batch = 64,
                                      .dims = {},
                                      .variables = {}});
    const DeviceDescription device = find_description("titan-x");
    const Execution execution;
    NetworkPrediction prediction = predict_network(graph, execution, *model_of(device));
    const DeviceWork work{graph, execution, prediction, device};
    const Cluster cluster = find_cluster("infiniband-ndr");
    const auto step = [&](int micro_batches) {
        return parallel_step(
            work, cluster,
            {.strategy = Strategy::pipeline, .devices = 4, .micro_batches = micro_batches});
    };
    const ParallelStep one = step(1), many = step(64);
    EXPECT_GT(one.bubble / one.compute, 1);
    EXPECT_LT(many.bubble / many.compute, 0.1);
    EXPECT_NEAR(many.time.value, (many.compute + many.bubble + many.exposed + many.waiting).value,
                1e-12);
    EXPECT_LT(many.memory.all(), footprint_of(graph, execution).peak * 64);
    EXPECT_EQ(many.layers.size(), 3U);  // the boundaries of four stages
}

}  // namespace

}  // namespace strata::testing
