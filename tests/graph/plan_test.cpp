// SPDX-License-Identifier: MIT
#include "graph/plan.h"

#include "graph/builder.h"
#include "tests/graph/executions.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

Graph two_layers() {
    GraphBuilder builder("two");
    const TensorId x = builder.input("x", {{2, 3}});
    return builder.finish({builder.add(
        "relu", Activation{}, {builder.add("fc", FullyConnected{.out_features = 4}, {x})})});
}

TEST(Plan, HoldsWhatItsGraphAndNumericsDecide) {
    for (const Execution& execution : {training, inference}) {
        const auto plan = plan_of(two_layers(), execution.numerics);
        EXPECT_EQ(plan->schedule.tasks, schedule_of(plan->graph, execution).tasks);
        EXPECT_EQ(plan->footprint.peak, footprint_of(plan->graph, execution).peak);
        ASSERT_EQ(plan->signatures.size(), 2U);
        EXPECT_EQ(plan->signatures[1].outputs[0].dims, (Dims{2, 4}));
    }
}

TEST(Plan, ItsSignaturesHaveTheTypesOfTheExecution) {
    const auto plan = plan_of(two_layers(), {.dtype = DataType::bf16});
    const Signature& fc = plan->signatures[0];
    EXPECT_EQ(fc.inputs[0].tensor.dtype, DataType::bf16);
    EXPECT_EQ(fc.inputs[1].tensor.dtype, DataType::f32) << "master weights";
}

}  // namespace
}  // namespace strata
