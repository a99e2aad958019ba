// SPDX-License-Identifier: MIT
#include "backend/semantics.h"
#include "tests/backend/reference/layer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

// Operators that move, choose or convert elements, by hand and against differences.

namespace strata::testing {
namespace {

const std::vector<Role> with_indices = {Role::activation, Role::label};

TEST(ReferenceGather, RowsAreCopiedByIndexAlongTheAxis) {
    EXPECT_EQ(result_of(Gather{}, {{3, 2}, {2}}, {{1, 2, 3, 4, 5, 6}, {2, 0}}, with_indices),
              (HostValues{5, 6, 1, 2}));
    EXPECT_EQ(result_of(Gather{.axis = -1}, {{2, 3}, {2, 1}}, {{1, 2, 3, 4, 5, 6}, {1, -1}},
                        with_indices),
              (HostValues{2, 3, 5, 6}));
    EXPECT_EQ(result_of(Gather{.axis = 1}, {{2, 3}, {}}, {{1, 2, 3, 4, 5, 6}, {1}}, with_indices),
              (HostValues{2, 5}));
}

TEST(ReferenceGather, ARowThatIsReadTwiceReceivesBothGradients) {
    ReferenceLayer layer = run(Gather{}, {{3}, {3}}, {{1, 2, 3}, {2, 0, 2}}, with_indices);
    layer.output_gradients[0] = {1, 10, 100};
    layer.backward();
    EXPECT_EQ(layer.input_gradients[0], (HostValues{10, 0, 101}));
}

TEST(ReferenceGather, AnIndexNeverLeavesItsAxis) {
    EXPECT_EQ(place_of_index(-1, 5), 4);
    EXPECT_EQ(place_of_index(-5, 5), 0);
    EXPECT_EQ(place_of_index(-6, 5), 0);
    EXPECT_EQ(place_of_index(5, 5), 4);
    EXPECT_EQ(place_of_index(1e30F, 5), 4);
    EXPECT_EQ(place_of_index(-infinity, 5), 0);
    EXPECT_EQ(place_of_index(not_a_number, 5), 0);
}

TEST(ReferenceSlice, TakesElementsInStepsOfEitherSign) {
    const HostValues x = {1, 2, 3, 4, 5, 6};
    EXPECT_EQ(result_of(Slice{{1}, {1}, {2}, {}}, {{2, 3}}, {x}), (HostValues{2, 3, 5, 6}));
    EXPECT_EQ(result_of(Slice{{0}, {5}, {3}, {-2}}, {{6}}, {x}), (HostValues{6, 4, 2}));
    EXPECT_EQ(result_of(Slice{{-1, 0}, {0, 1}, {2, 1}, {2, 1}}, {{2, 3}}, {x}), (HostValues{4, 6}));
}

TEST(ReferenceExpand, RepeatsAsNumPysBroadcastTo) {
    EXPECT_EQ(result_of(Expand{{2, 2, 3}}, {{2, 1}}, {{1, 2}}),
              (HostValues{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2}));
}

TEST(ReferenceCast, IntegersAreCutTowardsZeroWithinTheirRange) {
    EXPECT_EQ(result_of(Cast{DataType::s64}, {{4}}, {{1.9F, -1.9F, 0.5F, 7}}),
              (HostValues{1, -1, 0, 7}));
    EXPECT_EQ(result_of(Cast{DataType::boolean}, {{3}}, {{0, -0.25F, 3}}), (HostValues{0, 1, 1}));
    EXPECT_EQ(cast_value(300, DataType::u8), 255);
    EXPECT_EQ(cast_value(-300, DataType::s8), -128);
    EXPECT_EQ(cast_value(not_a_number, DataType::s32), 0);
    EXPECT_EQ(cast_value(1e30F, DataType::s64), 0x1p63F);
}

TEST(ReferenceCast, NarrowFloatsAreTheNearestWithTiesToEven) {
    EXPECT_EQ(cast_value(1 + 0x1p-8F, DataType::bf16), 1);
    EXPECT_EQ(cast_value(1 + 0x3p-8F, DataType::bf16), 1 + 0x1p-6F);
    EXPECT_EQ(cast_value(1 + 0x1.01p-8F, DataType::bf16), 1 + 0x1p-7F);
    EXPECT_EQ(cast_value(1 + 0x1p-11F, DataType::f16), 1);
    EXPECT_EQ(cast_value(1 + 0x3p-11F, DataType::f16), 1 + 0x1p-9F);
    EXPECT_EQ(cast_value(65519, DataType::f16), 65504);
    EXPECT_EQ(cast_value(65520, DataType::f16), infinity);
    EXPECT_EQ(cast_value(0x1p-24F, DataType::f16), 0x1p-24F);
    EXPECT_EQ(cast_value(0x1p-25F, DataType::f16), 0);
    EXPECT_EQ(cast_value(-infinity, DataType::f16), -infinity);
    EXPECT_TRUE(std::isnan(cast_value(not_a_number, DataType::bf16)));
}

TEST(ReferenceSelect, TakesFromTheFirstWhereTheConditionIsNotZero) {
    EXPECT_EQ(result_of(Select{}, {{2, 1}, {2}, {}}, {{0, 3}, {1, 2}, {9}}),
              (HostValues{9, 9, 1, 2}));
}

TEST(ReferenceTopK, TheLargestComeInOrderWithTheirPositions) {
    const ReferenceLayer layer =
        run(TopK{.k = 3}, {{2, 4}}, {{1, 4, 4, 2, -1, -2, not_a_number, -4}});
    EXPECT_EQ(layer.outputs[1], (HostValues{1, 2, 3, 2, 0, 1}));
    EXPECT_EQ(layer.outputs[0][0], 4);
    EXPECT_TRUE(std::isnan(layer.outputs[0][3]));
}

TEST(ReferenceTopK, TheSmallestAreFoundAlongAnyAxis) {
    const ReferenceLayer layer =
        run(TopK{.k = 1, .axis = 0, .largest = false}, {{2, 2}}, {{1, 4, 3, 2}});
    EXPECT_EQ(layer.outputs[0], (HostValues{1, 2}));
    EXPECT_EQ(layer.outputs[1], (HostValues{0, 1}));
}

TEST(ReferenceHardmax, IsOneAtTheFirstLargestElement) {
    EXPECT_EQ(result_of(Hardmax{}, {{3, 4}},
                        {{1, 4, 4, 2, -1, -2, -3, -4, 1, not_a_number, 9, infinity}}),
              (HostValues{0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0}));
    EXPECT_EQ(result_of(Hardmax{.axis = 0}, {{2, 3}}, {{1, 5, 3, 2, 5, 1}}),
              (HostValues{0, 1, 1, 1, 0, 0}));
}

TEST(ReferenceHardmax, NoGradientComesThrough) {
    ReferenceLayer layer = run(Hardmax{}, {{1, 3}}, {{1, 3, 2}});
    layer.output_gradients[0] = {1, 2, 3};
    layer.backward();
    EXPECT_EQ(layer.input_gradients[0], (HostValues{0, 0, 0}));
}

TEST(ReferenceGradients, OfOperatorsThatMoveElementsMatchDifferences) {
    for (const Op& op :
         std::vector<Op>{Slice{{1}, {3}, {2}, {-2}}, Slice{{-2}, {1}, {1}, {}}, TopK{.k = 2},
                         TopK{.k = 1, .axis = 0, .largest = false}, Cast{DataType::f64}}) {
        expect_gradients_match_differences(ReferenceLayer(op, {{3, 4}}));
    }
    expect_gradients_match_differences(ReferenceLayer(Expand{{2, 3, 4}}, {{3, 1}}));
    expect_gradients_match_differences(ReferenceLayer(Gather{}, {{2, 3}, {2, 2}}, with_indices));
    expect_gradients_match_differences(
        ReferenceLayer(Gather{.axis = -1}, {{2, 3}, {5}}, with_indices));
    expect_gradients_match_differences(ReferenceLayer(Select{}, {{3, 1}, {3, 4}, {4}}));
}

}  // namespace
}  // namespace strata::testing
