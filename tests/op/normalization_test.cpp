// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

// Layer and group normalisation.

namespace strata {
namespace {

TEST(LayerNormalization, KeepsTheShapeAndRequestsAScaleAndAShiftOfTheNormalizedAxes) {
    const auto signature = signature_of(parse_problem("layer_normalization(2x5x8x4) axis=-2"));
    EXPECT_EQ(signature.outputs[0].dims, (Dims{2, 5, 8, 4}));
    ASSERT_EQ(signature.inputs.size(), 3u);
    EXPECT_EQ(signature.inputs[1].tensor.dims, (Dims{8, 4}));
    EXPECT_EQ(signature.inputs[2].tensor.dims, (Dims{8, 4}));
    EXPECT_EQ(signature.inputs[2].role, Role::parameter);
}

TEST(LayerNormalization, MayHaveNoScaleAndNoShift) {
    const auto signature =
        signature_of(parse_problem("layer_normalization(2x5x8) scale=false shift=false"));
    EXPECT_EQ(signature.inputs.size(), 1u);
    EXPECT_FALSE(
        has_pass("layer_normalization(2x5x8) scale=false shift=false", Pass::backward_weights));
}

TEST(LayerNormalization, RefusesAnAxisThatDoesNotExist) {
    EXPECT_TRUE(contains(refusal_of("layer_normalization(2x5x8) axis=3"), "axis 3"));
    EXPECT_NE(refusal_of("layer_normalization(2x5x8) axis=-4"), "");
}

// Forward: two sums (one with its square), difference, quotient, scale and shift; per row mean,
// variance and root.
TEST(LayerNormalization, CostsSevenOperationsPerElementAndFourPerRow) {
    const double elements = 2 * 5 * 8, rows = 2 * 5;
    const Work forward = work_of("layer_normalization(2x5x8)", Pass::forward);
    EXPECT_EQ(forward.operations.multiply_adds, elements);
    EXPECT_EQ(forward.operations.adds, 3 * elements);
    EXPECT_EQ(forward.operations.multiplies, 2 * elements);
    EXPECT_EQ(forward.operations.divides, 3 * rows);
    EXPECT_EQ(forward.operations.transcendentals, rows);
    EXPECT_EQ(forward.read.value, 4 * (elements + 16));
    EXPECT_EQ(forward.written.value, 4 * elements);
}

TEST(LayerNormalization, CostsLessWithoutAMean) {
    const auto standard = work_of("layer_normalization(2x5x8) shift=false", Pass::forward);
    const auto* text = "layer_normalization(2x5x8) kind=root_mean_square shift=false";
    const auto rms = work_of(text, Pass::forward);
    EXPECT_EQ(standard.operations.adds - rms.operations.adds, 2 * 80);
    EXPECT_EQ(kind_of(parse_problem(text).op), "rms_normalization");
}

TEST(LayerNormalization, ItsBackwardPassesReadTheInputAgain) {
    const double elements = 2 * 5 * 8;
    const Work data = work_of("layer_normalization(2x5x8)", Pass::backward_data);
    EXPECT_EQ(data.read.value, 4 * (2 * elements + 8));
    EXPECT_EQ(data.written.value, 4 * elements);
    const Work weights = work_of("layer_normalization(2x5x8)", Pass::backward_weights);
    EXPECT_EQ(weights.read.value, 4 * 2 * elements);
    EXPECT_EQ(weights.written.value, 4 * 16);
}

TEST(GroupNormalization, KeepsTheShapeAndScalesEachChannel) {
    const auto signature = signature_of(parse_problem("group_normalization(2x6x4x4) groups=3"));
    EXPECT_EQ(signature.outputs[0].dims, (Dims{2, 6, 4, 4}));
    ASSERT_EQ(signature.inputs.size(), 3u);
    EXPECT_EQ(signature.inputs[1].tensor.dims, (Dims{6}));
    EXPECT_EQ(signature_of(parse_problem("group_normalization(2x6x4) affine=false")).inputs.size(),
              1u);
}

TEST(GroupNormalization, GroupsMustDivideTheChannels) {
    EXPECT_TRUE(contains(refusal_of("group_normalization(2x6x4x4) groups=4"),
                         "4 groups must divide the 6 channels"));
    EXPECT_NE(refusal_of("group_normalization(2x6x4x4) groups=-1"), "");
    EXPECT_NE(refusal_of("group_normalization(6)"), "");
}

TEST(GroupNormalization, NoGroupsMeansOneForEachChannel) {
    const auto instance = work_of("group_normalization(2x6x4x4)", Pass::forward);
    const auto groups = work_of("group_normalization(2x6x4x4) groups=2", Pass::forward);
    EXPECT_EQ(instance.operations.transcendentals, 2 * 6);
    EXPECT_EQ(groups.operations.transcendentals, 2 * 2);
    EXPECT_EQ(instance.operations.multiplies, groups.operations.multiplies);
}

constexpr const char* spatial = "batch_normalization(2x8x5x5)";

TEST(BatchNormalization, RequestsTwoParametersAndTwoStatisticsPerChannel) {
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

TEST(BatchNormalization, CountsSevenOperationsPerElementForward) {
    const double per_statistic = 11;  // 2 multiply-adds, 1 add, 2 multiplies, 3 divides, 1 root
    EXPECT_EQ(flops_of(spatial, Pass::forward), 7.0 * 2 * 8 * 25 + per_statistic * 8);
}

TEST(Lrn, FiveNeighboursCostFourteenOperationsPerElement) {
    const Operations operations = work_of("lrn(1x96x55x55)", Pass::forward).operations;
    const double elements = 96 * 55 * 55;
    EXPECT_EQ(operations.multiplies, 6 * elements);
    EXPECT_EQ(operations.adds, 6 * elements);
    EXPECT_EQ(operations.transcendentals, elements);
    EXPECT_EQ(operations.divides, elements);
    EXPECT_EQ(flops_of("lrn(1x96x55x55)", Pass::forward), 4'065'600);
}

TEST(Lrn, ItsBackwardPassReadsTheInputAgain) {
    const double bytes = 4 * 2 * 8 * 5 * 5;
    EXPECT_EQ(work_of("lrn(2x8x5x5)", Pass::backward_data).read.value, 2 * bytes);
}

TEST(Lrn, AnEmptyNeighbourhoodIsRefused) {
    EXPECT_NE(refusal_of("lrn(2x8x5x5) size=0"), "");
    EXPECT_NE(refusal_of("lrn(8)"), "");
}

}  // namespace
}  // namespace strata
