// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

namespace strata {
namespace {

TEST(Activation, ReluIsOneCompareAnElementBothWays) {
    const Work forward = work_of("activation(1x96x55x55)", Pass::forward);
    EXPECT_EQ(forward.operations.compares, 290'400);
    EXPECT_EQ(work_of("activation(1x96x55x55)", Pass::backward_data).operations.compares, 290'400);
    EXPECT_FALSE(has_pass("activation(1x96x55x55)", Pass::backward_weights));
}

TEST(Activation, KeepsItsOutputWhereTheDerivativeIsAFunctionOfIt) {
    for (const auto* op : {"activation", "activation kind=tanh", "activation kind=sigmoid",
                           "activation kind=clip beta=6", "activation kind=elu alpha=1",
                           "activation kind=leaky_relu alpha=0.1"}) {
        EXPECT_TRUE(reads_of(parse_op(op)).output_for_data) << op;
        EXPECT_FALSE(reads_of(parse_op(op)).input_for_data) << op;
    }
}

TEST(Activation, KeepsItsInputIfTheOutputDoesNotDetermineTheSide) {
    for (const auto* op : {"activation kind=leaky_relu alpha=-0.1", "activation kind=softplus",
                           "activation kind=hard_sigmoid alpha=0.2 beta=0.5"}) {
        EXPECT_TRUE(reads_of(parse_op(op)).input_for_data) << op;
        EXPECT_FALSE(reads_of(parse_op(op)).output_for_data) << op;
    }
}

TEST(Activation, ASigmoidCountsItsExponentialSumAndQuotient) {
    EXPECT_EQ(flops_of("activation(10) kind=sigmoid", Pass::forward), 30);
    EXPECT_EQ(flops_of("activation(10) kind=sigmoid", Pass::backward_data), 30);
}

}  // namespace
}  // namespace strata
