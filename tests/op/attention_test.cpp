// SPDX-License-Identifier: MIT
#include "op/attention.h"

#include "tests/op/support.h"

#include <cmath>

namespace strata {
namespace {

TEST(Attention, GivesEachQueryARowOfTheValuesWidth) {
    EXPECT_EQ(output_of("attention(2x5x8, 2x7x8, 2x7x12) heads=4"), "2x5x12");
    EXPECT_EQ(output_of("attention(2x4x5x8, 2x4x7x8, 2x4x7x3)"), "2x4x5x3");
    EXPECT_EQ(output_of("attention(2x5x8, 2x7x4, 2x7x6) heads=4 kv_heads=2"), "2x5x12");
}

TEST(Attention, RefusesOperandsThatDoNotFit) {
    EXPECT_TRUE(contains(refusal_of("attention(2x5x8, 2x7x8, 2x7x8) heads=3"), "3 heads"));
    EXPECT_NE(refusal_of("attention(2x5x8, 3x7x8, 3x7x8) heads=2"), "");
    EXPECT_NE(refusal_of("attention(2x5x8, 2x7x8, 2x6x8) heads=2"), "");
    EXPECT_NE(refusal_of("attention(2x5x8, 2x7x6, 2x7x8) heads=2"), "");
    EXPECT_NE(refusal_of("attention(2x5x8, 2x4x7x2, 2x4x7x2) heads=4"), "");
    EXPECT_NE(refusal_of("attention(2x4x5x8, 2x3x7x8, 2x3x7x8)"), "");
    EXPECT_NE(refusal_of("attention(2x5x8, 2x5x8)"), "");
    EXPECT_NE(refusal_of("attention(5x8, 5x8, 5x8)"), "");
}

TEST(Attention, AMaskIsBroadcastToTheScores) {
    EXPECT_EQ(output_of("attention(2x5x8, 2x7x8, 2x7x8, 5x7:constant) heads=2"), "2x5x8");
    EXPECT_EQ(output_of("attention(2x5x8, 2x7x8, 2x7x8, 2x1x1x7:constant) heads=2"), "2x5x8");
    EXPECT_TRUE(contains(refusal_of("attention(2x5x8, 2x7x8, 2x7x8, 7x5:constant) heads=2"),
                         "7x5 cannot be broadcast"));
    EXPECT_NE(refusal_of("attention(2x5x8, 2x7x8, 2x7x8, 3x2x2x5x7:constant) heads=2"), "");
}

TEST(Attention, KnowsItsExtentsInBothLayouts) {
    const auto extents = [](const char* text) {
        const Problem problem = parse_problem(text);
        return extents_of(std::get<Attention>(problem.op), signature_of(problem));
    };
    const auto packed = extents("attention(2x5x8, 2x7x4, 2x7x6) heads=4 kv_heads=2");
    EXPECT_TRUE(packed.packed);
    EXPECT_EQ(packed.heads, 4);
    EXPECT_EQ(packed.kv_heads, 2);
    EXPECT_EQ(packed.width, 2);
    EXPECT_EQ(packed.value_width, 3);
    EXPECT_DOUBLE_EQ(packed.scale, 1 / std::sqrt(2.0));
    const auto by_head = extents("attention(2x4x5x8, 2x2x7x8, 2x2x7x3) scale=0.5");
    EXPECT_FALSE(by_head.packed);
    EXPECT_EQ(by_head.queries, 5);
    EXPECT_EQ(by_head.keys, 7);
    EXPECT_EQ(by_head.scale, 0.5);
}

// Two products forward and four backward. Recomputed scores do not count, because they belong to
// the implementation and not to the operator.
TEST(Attention, TheBackwardPassCostsTwiceTheForwardProducts) {
    const auto* text = "attention(2x5x8, 2x7x8, 2x7x12) heads=4";
    const double scores = 2 * 4 * 5 * 7;
    EXPECT_EQ(work_of(text, Pass::forward).operations.multiply_adds, scores * (2 + 3));
    EXPECT_EQ(work_of(text, Pass::backward_data).operations.multiply_adds,
              scores * (2 * (2 + 3) + 1));
    EXPECT_FALSE(has_pass(text, Pass::backward_weights));
}

TEST(Attention, CausalityHidesScoresButIsCountedNominally) {
    EXPECT_EQ(flops_of("attention(2x5x8, 2x5x8, 2x5x8) heads=2 causal=true", Pass::forward),
              flops_of("attention(2x5x8, 2x5x8, 2x5x8) heads=2", Pass::forward));
}

TEST(Attention, SavesALogarithmPerRowForTheBackwardPass) {
    const Problem problem = parse_problem("attention(2x5x8, 2x7x8, 2x7x8) heads=4");
    const double operands = 2 * 8 * (5 + 7 + 7), logarithms = 2 * 4 * 5;
    EXPECT_EQ(saved_bytes_of(problem.op, signature_of(problem)).value, 4 * logarithms);
    const Work backward = work_of(problem.op, signature_of(problem), Pass::backward_data);
    EXPECT_EQ(backward.read.value, 4 * (operands + 2 * 5 * 8 + logarithms));
    EXPECT_EQ(backward.written.value, 4 * operands);
}

}  // namespace
}  // namespace strata
