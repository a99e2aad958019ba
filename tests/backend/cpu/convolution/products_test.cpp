// SPDX-License-Identifier: MIT
#include "tests/backend/cpu/convolution/outcome.h"

#include <gtest/gtest.h>

// The methods that compute a convolution as a matrix product.

namespace strata::cpu {
namespace {

class Products : public ::testing::TestWithParam<const char*> {
protected:
    const ConvolutionMethod& method() const { return method_named(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Methods, Products, ::testing::Values("gemm", "implicit-gemm"));

// Sums of up to several thousand products of numbers below 1, each rounded once.
constexpr double products_bound = 3e-6;

void expect_exact(const Outcome& outcome, const std::string& what) {
    EXPECT_LT(outcome.max_error(), products_bound) << what;
    EXPECT_LT(outcome.max_bias_error(), products_bound) << what;
    EXPECT_EQ(outcome.faults, std::vector<std::string>()) << what;
}

TEST_P(Products, AgreeWithAConvolutionInDoublePrecisionOnEveryInstructionSet) {
    for (const Isa isa : tested_isas) {
        const CappedIsa capped(isa);
        for (const ProblemShape& shape : ragged_shapes()) {
            for (const Pass pass : tested_passes) {
                const ConvolutionProblem problem = problem_of(pass, shape);
                expect_exact(outcome_of(method(), problem), text_of(problem));
            }
        }
    }
}

TEST_P(Products, TakeImagesInEveryOrder) {
    for (const ImageOrder x : {ImageOrder::nchw8c, ImageOrder::nchw16c, ImageOrder::nhwc}) {
        for (const ImageOrder y : {x, ImageOrder::nchw}) {
            for (const ProblemShape& shape : ragged_shapes()) {
                for (const Pass pass : tested_passes) {
                    const ConvolutionProblem problem = problem_of(pass, shape);
                    const OperandOrders orders = {x, FilterOrder::oihw, y};
                    const Outcome outcome = outcome_of(method(), problem, orders);
                    EXPECT_EQ(outcome.orders.x, x);
                    EXPECT_EQ(outcome.orders.y, y);
                    expect_exact(outcome, text_of(problem));
                }
            }
        }
    }
}

TEST_P(Products, GiveTheSameBitsAtEachRun) {
    for (const ProblemShape& shape : ragged_shapes()) {
        for (const Pass pass : tested_passes) {
            const ConvolutionProblem problem = problem_of(pass, shape);
            EXPECT_EQ(outcome_of(method(), problem).result, outcome_of(method(), problem).result)
                << text_of(problem);
        }
    }
}

TEST_P(Products, RefuseVolumes) {
    const ProblemShape shape = {.x = {1, 2, 4, 4, 4}, .filter = {3, 2, 2, 2}};
    EXPECT_EQ(refusal_of(method(), problem_of(Pass::forward, shape)),
              "3 spatial axes: only 1 and 2 are supported");
}

TEST(Gemm, CountsTheMultiplyAddsOfTheDefinition) {
    // 2 images, 5 outputs of 7 x 9 points, 3 inputs under 3 x 3 taps.
    const ProblemShape shape = {
        .x = {2, 3, 9, 11}, .filter = {5, 3, 3}, .bias = true, .relu = true};
    const Operations operations =
        method_named("gemm").prepare(problem_of(Pass::forward, shape), {})->operations();
    EXPECT_EQ(operations.multiply_adds, 2 * 5 * 7 * 9 * 3 * 9);
    EXPECT_EQ(operations.bias_adds, 2 * 5 * 7 * 9);
    EXPECT_EQ(operations.compares, 2 * 5 * 7 * 9);
}

TEST(Gemm, CountsTheAdditionsOfOverlappingWindows) {
    // One row of 4 elements under 3 taps with a pad of 1: 3 + 4 + 3 windows see an element.
    const ProblemShape shape = {.x = {2, 3, 4}, .filter = {5, 3}, .pad_begin = {1}, .pad_end = {1}};
    const auto prepared = method_named("gemm").prepare(problem_of(Pass::backward_data, shape), {});
    EXPECT_EQ(prepared->operations().adds, 2 * 3 * (3 + 4 + 3));
}

TEST(ImplicitGemm, CountsPointsPaddedToRegisters) {
    // 2 images of 7 x 9 points are 126, padded to 128.
    const ProblemShape shape = {.x = {2, 3, 9, 11}, .filter = {5, 3, 3}};
    const auto& method = method_named("implicit-gemm");
    const auto forward = method.prepare(problem_of(Pass::forward, shape), {});
    EXPECT_EQ(forward->operations().multiply_adds, 5 * 128 * 3 * 9);
    // 9 x 11 elements see only the taps that reach them: with a stride of 2, 4, 2, 2, 1 of 9 taps.
    const ProblemShape strided = {.x = {1, 3, 4, 4}, .filter = {5, 3, 3}, .stride = {2, 2}};
    const auto data = method.prepare(problem_of(Pass::backward_data, strided), {});
    EXPECT_EQ(data->operations().multiply_adds, 5 * 3 * 16 * (4 + 2 + 2 + 1));
}

TEST(ImplicitGemm, CountsTheGradientOfTheBiasAsProductsWithOnes) {
    // 2 images of 7 x 9 points with 16 outputs have 3 x 9 rows of weights and one of the bias; the
    // sums of the images are separate.
    const ProblemShape shape = {.x = {2, 3, 9, 11}, .filter = {16, 3, 3}, .bias = true};
    const auto& method = method_named("implicit-gemm");
    const Operations operations =
        method.prepare(problem_of(Pass::backward_weights, shape), {})->operations();
    EXPECT_EQ(operations.multiply_adds, 2 * 7 * 9 * 16 * (3 * 9 + 1));
    EXPECT_EQ(operations.adds, 16 * (3 * 9 + 1));
    EXPECT_EQ(operations.bias_adds, 0);
}

// If the blocks are as wide as a register, the gradient of y is read in place.
TEST(ImplicitGemm, SumsWeightGradientsOfBlocksOfEightChannelsOnEveryInstructionSet) {
    const OperandOrders orders = {ImageOrder::nchw8c, FilterOrder::oihw, ImageOrder::nchw8c};
    for (const Isa isa : tested_isas) {
        const CappedIsa capped(isa);
        for (const ProblemShape& shape : ragged_shapes()) {
            const ConvolutionProblem problem = problem_of(Pass::backward_weights, shape);
            expect_exact(outcome_of(method_named("implicit-gemm"), problem, orders),
                         text_of(problem));
        }
    }
}

TEST(ImplicitGemm, GivesTheSameBitsOnAnyNumberOfThreads) {
    for (ProblemShape shape : ragged_shapes()) {
        for (const Pass pass : tested_passes) {
            shape.threads = 1;
            const auto one = outcome_of(method_named("implicit-gemm"), problem_of(pass, shape));
            shape.threads = 3;
            const auto three = outcome_of(method_named("implicit-gemm"), problem_of(pass, shape));
            EXPECT_EQ(one.result, three.result) << text_of(problem_of(pass, shape));
            EXPECT_EQ(one.bias_gradient, three.bias_gradient) << text_of(problem_of(pass, shape));
        }
    }
}

TEST(Gemm, NeedsNoMemoryIfImagesAreTheMatrix) {
    const ProblemShape shape = {.x = {4, 8, 32, 32}, .filter = {6, 1, 1}};
    for (const Pass pass : {Pass::forward, Pass::backward_data}) {
        EXPECT_EQ(method_named("gemm").prepare(problem_of(pass, shape), {})->workspace(), Bytes{0});
    }
}

}  // namespace
}  // namespace strata::cpu
