// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

namespace strata {
namespace {

DataType type_of_result(std::string_view problem) {
    return signature_of(parse_problem(problem)).outputs.at(0).dtype;
}

TEST(Unary, KeepsTheShapeAndGivesBooleansForPredicates) {
    EXPECT_EQ(output_of("unary(2x3) kind=sine"), "2x3");
    EXPECT_EQ(type_of_result("unary(2x3:bf16) kind=sine"), DataType::bf16);
    EXPECT_EQ(type_of_result("unary(2x3) kind=is_nan"), DataType::boolean);
    EXPECT_EQ(type_of_result("unary(2x3:boolean) kind=logical_not"), DataType::boolean);
    EXPECT_NE(refusal_of("unary(2, 3)"), "");
}

TEST(Unary, StepsPassNothingBack) {
    EXPECT_EQ(flops_of("unary(8) kind=floor", Pass::backward_data), 0);
    EXPECT_EQ(flops_of("unary(8) kind=exponential", Pass::forward), 8);
    EXPECT_EQ(flops_of("unary(8) kind=exponential", Pass::backward_data), 8);
}

TEST(Unary, ReadsBackTheInputOrOutputItsDerivativeNeeds) {
    EXPECT_TRUE(reads_of(Unary{UnaryKind::square_root}).output_for_data);
    EXPECT_FALSE(reads_of(Unary{UnaryKind::square_root}).input_for_data);
    EXPECT_TRUE(reads_of(Unary{UnaryKind::logarithm}).input_for_data);
    EXPECT_FALSE(reads_of(Unary{UnaryKind::negate}).input_for_data);
    EXPECT_FALSE(reads_of(Unary{UnaryKind::round}).input_for_data);
}

TEST(Select, BroadcastsAllThreeOperands) {
    EXPECT_EQ(output_of("select(4x1:boolean, 3, scalar)"), "4x3");
    EXPECT_EQ(type_of_result("select(4:boolean, 4:bf16, 4:bf16)"), DataType::bf16);
    EXPECT_NE(refusal_of("select(4:boolean, 3, 3)"), "");
    EXPECT_NE(refusal_of("select(4:boolean, 4)"), "");
}

TEST(Select, ComparesAndSumsTheGradientsOfCopies) {
    EXPECT_EQ(flops_of("select(4x3:boolean, 4x3, 3)", Pass::forward), 12);
    EXPECT_EQ(flops_of("select(4x3:boolean, 4x3, 3)", Pass::backward_data), 12 + 9);
}

TEST(Elementwise, ComparisonsGiveBooleansWithoutAGradient) {
    EXPECT_EQ(type_of_result("elementwise(2x3, 3) kind=less"), DataType::boolean);
    EXPECT_EQ(type_of_result("elementwise(2x3, 3) kind=power"), DataType::f32);
    EXPECT_NE(refusal_of("elementwise(3, 3, 3) kind=equal"), "");
}

TEST(Reduction, AxesAreKeptWithOneElementOrRemoved) {
    EXPECT_EQ(output_of("reduction(2x3x4) axes=1"), "2x1x4");
    EXPECT_EQ(output_of("reduction(2x3x4) axes=1x-1 keep_axes=false"), "2");
    EXPECT_EQ(output_of("reduction(2x3x4)"), "1x1x1");
    EXPECT_EQ(output_of("reduction(2x3x4) keep_axes=false"), "scalar");
    EXPECT_NE(refusal_of("reduction(2x3) axes=2"), "");
}

TEST(Reduction, CountsEachTermOnceAndTheFinalStepPerResult) {
    EXPECT_EQ(flops_of("reduction(2x3x4) axes=1", Pass::forward), 24);
    EXPECT_EQ(flops_of("reduction(2x3x4) axes=1 kind=mean", Pass::forward), 24 + 8);
    EXPECT_EQ(flops_of("reduction(2x3x4) axes=1", Pass::backward_data), 0);
    EXPECT_EQ(flops_of("reduction(2x3x4:parameter) axes=1 kind=mean", Pass::backward_weights), 8);
}

}  // namespace
}  // namespace strata
