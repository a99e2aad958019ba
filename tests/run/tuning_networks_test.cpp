// SPDX-License-Identifier: MIT
#include "run/tuning_networks.h"

#include "backend/algorithms.h"
#include "tests/run/convolutions.h"
#include "tests/support/scripted_backend.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

// The cost of a pass of the network's first convolution, which has an equal one and is followed by
// an activation, if every step takes a second.
Seconds cost(Pass pass, const Execution& execution) {
    const Graph graph = testing::network_of_convolutions();
    testing::ScriptedBackend backend([](testing::ScriptedExecutable&) {});
    TuningNetwork network(graph, execution, backend);
    const Samples second = {.values = std::vector<Seconds>(1, Seconds{1})};
    const std::vector<Samples> seconds(network.executable().steps().size(), second);
    const ProblemPass key = {problem_text(graph, graph.layers.front()), pass};
    return network.cost_of(key, seconds).front();
}

// Otherwise an algorithm that fuses nothing would seem to be as fast as one that does.
TEST(TuningNetwork, AFusedPassIncludesTheCostOfLayersFusedWithIt) {
    const EngineOptions fused = {.fusion = Fusion::convolution};
    EXPECT_EQ(cost(Pass::forward, {}), Seconds{1});
    EXPECT_EQ(cost(Pass::forward, {.engine = fused}), Seconds{1.5});
    EXPECT_EQ(cost(Pass::backward_weights, {.engine = fused}), Seconds{1});
}

}  // namespace
}  // namespace strata
