// SPDX-License-Identifier: MIT
#include "tests/backend/reference/layer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

// Functions of elements and statistics along axes, by hand and against differences.

namespace strata::testing {
namespace {

float of(UnaryKind kind, float x) {
    return result_of(Unary{kind}, {{1}}, {{x}})[0];
}

TEST(ReferenceUnary, FunctionsHaveTheirTextbookValues) {
    EXPECT_FLOAT_EQ(of(UnaryKind::exponential, 1), 2.7182818F);
    EXPECT_EQ(of(UnaryKind::logarithm, 1), 0);
    EXPECT_EQ(of(UnaryKind::square_root, 9), 3);
    EXPECT_EQ(of(UnaryKind::reciprocal, 4), 0.25F);
    EXPECT_EQ(of(UnaryKind::negate, 4), -4);
    EXPECT_EQ(of(UnaryKind::absolute, -4), 4);
    EXPECT_EQ(of(UnaryKind::sign, -4), -1);
    EXPECT_EQ(of(UnaryKind::sign, 0), 0);
    EXPECT_FLOAT_EQ(of(UnaryKind::error_function, 0.5F), 0.52049988F);
    EXPECT_EQ(of(UnaryKind::floor, -1.5F), -2);
    EXPECT_EQ(of(UnaryKind::ceil, -1.5F), -1);
    EXPECT_EQ(of(UnaryKind::round, 2.5F), 2);
    EXPECT_EQ(of(UnaryKind::round, -1.5F), -2);
    EXPECT_EQ(of(UnaryKind::round, infinity), infinity);
    EXPECT_FLOAT_EQ(of(UnaryKind::sine, 1), 0.84147098F);
    EXPECT_FLOAT_EQ(of(UnaryKind::cosine, 1), 0.54030231F);
    EXPECT_FLOAT_EQ(of(UnaryKind::tangent, 1), 1.5574077F);
    EXPECT_FLOAT_EQ(of(UnaryKind::arc_sine, 1), 1.5707963F);
    EXPECT_FLOAT_EQ(of(UnaryKind::arc_cosine, -1), 3.1415927F);
    EXPECT_FLOAT_EQ(of(UnaryKind::arc_tangent, 1), 0.78539816F);
    EXPECT_FLOAT_EQ(of(UnaryKind::hyperbolic_sine, 1), 1.1752012F);
    EXPECT_FLOAT_EQ(of(UnaryKind::hyperbolic_cosine, 1), 1.5430806F);
    EXPECT_FLOAT_EQ(of(UnaryKind::inverse_hyperbolic_sine, 1), 0.88137359F);
    EXPECT_FLOAT_EQ(of(UnaryKind::inverse_hyperbolic_cosine, 2), 1.3169579F);
    EXPECT_FLOAT_EQ(of(UnaryKind::inverse_hyperbolic_tangent, 0.5F), 0.54930614F);
    EXPECT_EQ(of(UnaryKind::logical_not, 2), 0);
    EXPECT_EQ(of(UnaryKind::logical_not, 0), 1);
    EXPECT_EQ(of(UnaryKind::is_nan, not_a_number), 1);
    EXPECT_EQ(of(UnaryKind::is_nan, infinity), 0);
    EXPECT_EQ(of(UnaryKind::is_infinite, -infinity), 1);
}

// All values of a layer moved into a function's domain.
ReferenceLayer moved(Op op, float scale, float shift) {
    ReferenceLayer layer(std::move(op), {{2, 6}});
    for (float& value : layer.inputs[0]) {
        value = value * scale + shift;
    }
    return layer;
}

TEST(ReferenceGradients, OfMathematicalFunctionsMatchDifferences) {
    for (const UnaryKind kind :
         {UnaryKind::exponential, UnaryKind::negate, UnaryKind::absolute, UnaryKind::error_function,
          UnaryKind::sine, UnaryKind::cosine, UnaryKind::arc_tangent, UnaryKind::hyperbolic_sine,
          UnaryKind::hyperbolic_cosine, UnaryKind::inverse_hyperbolic_sine}) {
        expect_gradients_match_differences(moved(Unary{kind}, 1, 0));
    }
    for (const UnaryKind kind : {UnaryKind::logarithm, UnaryKind::square_root,
                                 UnaryKind::reciprocal, UnaryKind::inverse_hyperbolic_cosine}) {
        expect_gradients_match_differences(moved(Unary{kind}, 1, 3.5F), 1e-3);
    }
    for (const UnaryKind kind : {UnaryKind::tangent, UnaryKind::arc_sine, UnaryKind::arc_cosine,
                                 UnaryKind::inverse_hyperbolic_tangent}) {
        expect_gradients_match_differences(moved(Unary{kind}, 0.4F, 0), 1e-3);
    }
}

TEST(ReferenceGradients, OfStepsAreZero) {
    for (const UnaryKind kind :
         {UnaryKind::sign, UnaryKind::floor, UnaryKind::ceil, UnaryKind::round}) {
        ReferenceLayer layer(Unary{kind}, {{5}});
        layer.backward();
        EXPECT_EQ(layer.input_gradients[0], HostValues(5));
    }
}

TEST(ReferenceElementwise, RemainderHasTheDivisorsSignAndIntegersDivideTowardsZero) {
    EXPECT_EQ(result_of(Elementwise{ElementwiseKind::remainder}, {{4}, {4}},
                        {{7, -7, 7, -7}, {3, 3, -3, -3}}),
              (HostValues{1, 2, -2, -1}));
    ReferenceLayer layer(Elementwise{ElementwiseKind::divide}, {{2}, {2}},
                         {Role::label, Role::label});
    layer.inputs = {{7, -7}, {2, 2}};
    layer.forward();
    EXPECT_EQ(layer.outputs[0], (HostValues{3, -3}));
}

TEST(ReferenceElementwise, ComparisonsAndLogicGiveZeroOrOne) {
    const HostValues a = {1, 2, 3}, b = {2, 2, 2}, p = {0, 0, 5}, q = {0, 4, 6};
    const auto compared = [&](ElementwiseKind kind) {
        return result_of(Elementwise{kind}, {{3}, {3}}, {a, b});
    };
    const auto combined = [&](ElementwiseKind kind) {
        return result_of(Elementwise{kind}, {{3}, {3}}, {p, q});
    };
    EXPECT_EQ(compared(ElementwiseKind::equal), (HostValues{0, 1, 0}));
    EXPECT_EQ(compared(ElementwiseKind::less), (HostValues{1, 0, 0}));
    EXPECT_EQ(compared(ElementwiseKind::less_or_equal), (HostValues{1, 1, 0}));
    EXPECT_EQ(compared(ElementwiseKind::greater), (HostValues{0, 0, 1}));
    EXPECT_EQ(compared(ElementwiseKind::greater_or_equal), (HostValues{0, 1, 1}));
    EXPECT_EQ(combined(ElementwiseKind::logical_and), (HostValues{0, 0, 1}));
    EXPECT_EQ(combined(ElementwiseKind::logical_or), (HostValues{0, 1, 1}));
    EXPECT_EQ(combined(ElementwiseKind::logical_xor), (HostValues{0, 1, 0}));
}

TEST(ReferenceGradients, OfPowersAndParametricReluMatchDifferences) {
    ReferenceLayer power(Elementwise{ElementwiseKind::power}, {{2, 3}, {3}});
    for (float& base : power.inputs[0]) {
        base = std::abs(base) + 0.5F;
    }
    expect_gradients_match_differences(power, 1e-3);
    expect_gradients_match_differences(
        ReferenceLayer(Elementwise{ElementwiseKind::prelu}, {{2, 3, 2}, {3, 1}}));
}

TEST(ReferenceReduction, StatisticsHaveTheirTextbookValues) {
    const auto of_three = [](ReductionKind kind) {
        return result_of(Reduction{.kind = kind}, {{3}}, {{1, -2, 4}})[0];
    };
    EXPECT_EQ(of_three(ReductionKind::sum), 3);
    EXPECT_EQ(of_three(ReductionKind::mean), 1);
    EXPECT_EQ(of_three(ReductionKind::maximum), 4);
    EXPECT_EQ(of_three(ReductionKind::minimum), -2);
    EXPECT_EQ(of_three(ReductionKind::product), -8);
    EXPECT_EQ(of_three(ReductionKind::sum_of_squares), 21);
    EXPECT_EQ(of_three(ReductionKind::l1), 7);
    EXPECT_FLOAT_EQ(of_three(ReductionKind::l2), 4.5825757F);
    EXPECT_FLOAT_EQ(of_three(ReductionKind::log_sum), 1.0986123F);
    EXPECT_FLOAT_EQ(of_three(ReductionKind::log_sum_exp), 4.0509458F);
}

TEST(ReferenceReduction, AnyAxesAreReduced) {
    const HostValues x = {1, 2, 3, 4, 5, 6, 7, 8};
    EXPECT_EQ(result_of(Reduction{.axes = {0, 2}}, {{2, 2, 2}}, {x}), (HostValues{14, 22}));
    EXPECT_EQ(result_of(Reduction{.axes = {-2}, .keep_axes = false}, {{2, 2, 2}}, {x}),
              (HostValues{4, 6, 12, 14}));
}

TEST(ReferenceReduction, HugeExponentsDoNotOverflow) {
    EXPECT_EQ(result_of(Reduction{.kind = ReductionKind::log_sum_exp}, {{2}}, {{1e4F, 1e4F}})[0],
              1e4F + std::log(2.0F));
    EXPECT_EQ(result_of(Reduction{.kind = ReductionKind::log_sum_exp}, {{1}}, {{-infinity}})[0],
              -infinity);
}

TEST(ReferenceReduction, AmongEqualExtremesTheFirstReceivesTheGradient) {
    ReferenceLayer layer(Reduction{.kind = ReductionKind::maximum}, {{3}});
    layer.inputs = {{2, 5, 5}};
    layer.output_gradients = {{7}};
    layer.backward();
    EXPECT_EQ(layer.input_gradients[0], (HostValues{0, 7, 0}));
}

TEST(ReferenceGradients, OfReductionsMatchDifferencesAlongAnyAxes) {
    for (const ReductionKind kind :
         {ReductionKind::sum, ReductionKind::mean, ReductionKind::maximum, ReductionKind::minimum,
          ReductionKind::product, ReductionKind::sum_of_squares, ReductionKind::l1,
          ReductionKind::l2, ReductionKind::log_sum_exp}) {
        expect_gradients_match_differences(
            ReferenceLayer(Reduction{.kind = kind, .axes = {1}}, {{2, 3, 2}}), 1e-3);
    }
    ReferenceLayer positive(Reduction{.kind = ReductionKind::log_sum, .axes = {0}}, {{3, 4}});
    std::ranges::for_each(positive.inputs[0], [](float& value) { value += 2.5F; });
    expect_gradients_match_differences(positive, 1e-3);
}

}  // namespace
}  // namespace strata::testing
