// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

namespace strata {
namespace {

constexpr const char* spatial = "batch_normalization(2x8x5x5)";

TEST(BatchNormalization, AsksForTwoParametersAndTwoStatisticsAChannel) {
    const auto signature = signature_of(parse_problem(spatial));
    ASSERT_EQ(signature.inputs.size(), 5u);
    for (std::size_t i = 1; i < 5; ++i) {
        EXPECT_EQ(signature.inputs[i].tensor.dims, (Dims{8}));
        EXPECT_EQ(signature.inputs[i].role, i < 3 ? Role::parameter : Role::statistic);
    }
}

TEST(BatchNormalization, PerActivationHasAStatisticForEachElementOfAnImage) {
    const auto signature =
        signature_of(parse_problem("batch_normalization(2x8x5x5) scope=per_activation"));
    EXPECT_EQ(signature.inputs[3].tensor.dims, (Dims{8, 5, 5}));
}

TEST(BatchNormalization, ItsBackwardPassesReadTheInputAgain) {
    const double x = 4 * 2 * 8 * 25, scale = 4 * 8;
    EXPECT_EQ(work_of(spatial, Pass::backward_data).read.value, x + x + scale);
    EXPECT_EQ(work_of(spatial, Pass::backward_weights).read.value, x + x);
    EXPECT_EQ(work_of(spatial, Pass::backward_weights).written.value, 2 * scale);
}

TEST(BatchNormalization, OnlyScaleAndShiftAreUpdated) {
    EXPECT_EQ(work_of(spatial, Pass::update).operations.multiply_adds, 2 * 2 * 8);
}

TEST(BatchNormalization, CountsSevenOperationsAnElementForward) {
    const double per_statistic = 11;  // 2 multiply-adds, 1 add, 2 multiplies, 3 divides, 1 root
    EXPECT_EQ(flops_of(spatial, Pass::forward), 7.0 * 2 * 8 * 25 + per_statistic * 8);
}

}  // namespace
}  // namespace strata
