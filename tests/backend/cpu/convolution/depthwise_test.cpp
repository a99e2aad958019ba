// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/depthwise.h"

#include "tests/backend/cpu/convolution/outcome.h"

#include <gtest/gtest.h>

namespace strata::cpu {
namespace {

constexpr ConvolutionMethod depthwise{"depthwise", prepare_depthwise_weights};

// Windows from one column to more than are summed at once, images smaller than their window,
// channels that do and do not fill blocks, strides and dilation.
std::vector<ProblemShape> depthwise_shapes() {
    return {
        {.x = {2, 32, 9, 11},
         .filter = {32, 5, 5},
         .pad_begin = {2, 2},
         .pad_end = {2, 2},
         .groups = 32,
         .bias = true},
        {.x = {1, 21, 8, 14},
         .filter = {21, 5, 5},
         .stride = {2, 2},
         .pad_begin = {1, 1},
         .pad_end = {2, 2},
         .groups = 21,
         .threads = 3},
        {.x = {3, 48, 7, 7},
         .filter = {48, 7, 7},
         .pad_begin = {3, 3},
         .pad_end = {3, 3},
         .groups = 48,
         .bias = true,
         .threads = 1},
        {.x = {1, 16, 3, 2},
         .filter = {16, 5, 5},
         .pad_begin = {2, 2},
         .pad_end = {2, 2},
         .groups = 16},
        {.x = {2, 24, 13, 12},
         .filter = {24, 3, 3},
         .stride = {1, 2},
         .dilation = {2, 3},
         .pad_begin = {2, 3},
         .pad_end = {2, 3},
         .groups = 24},
        {.x = {2, 8, 5, 13},
         .filter = {8, 1, 11},
         .pad_begin = {0, 5},
         .pad_end = {0, 5},
         .groups = 8},
        {.x = {2, 16, 17}, .filter = {16, 4}, .pad_begin = {1}, .pad_end = {2}, .groups = 16},
    };
}

TEST(Depthwise, GradientsOfWeightsAgreeWithDoublePrecisionInEveryOrder) {
    constexpr double bound = 3e-6;
    for (const Isa isa : tested_isas) {
        const CappedIsa capped(isa);
        for (const ProblemShape& shape : depthwise_shapes()) {
            const ConvolutionProblem problem = problem_of(Pass::backward_weights, shape);
            for (const ImageOrder order :
                 {ImageOrder::nchw, ImageOrder::nchw8c, ImageOrder::nchw16c, ImageOrder::nhwc}) {
                const Outcome outcome =
                    outcome_of(depthwise, problem, {order, FilterOrder::oihw, order});
                EXPECT_LT(outcome.max_error(), bound) << text_of(problem);
                EXPECT_LT(outcome.max_bias_error(), bound) << text_of(problem);
                EXPECT_EQ(outcome.faults, std::vector<std::string>()) << text_of(problem);
                if (order == ImageOrder::nchw8c || order == ImageOrder::nchw16c) {
                    EXPECT_EQ(outcome.orders.x, order);
                }
            }
        }
    }
}

TEST(Depthwise, OtherPassesAndGroupsOfSeveralChannelsAreRefused) {
    const ProblemShape grouped = {.x = {1, 8, 5, 5}, .filter = {8, 3, 3}, .groups = 4};
    EXPECT_NE(refusal_of(depthwise, problem_of(Pass::backward_weights, grouped)), "");
    EXPECT_NE(refusal_of(depthwise, problem_of(Pass::forward, depthwise_shapes().front())), "");
}

}  // namespace
}  // namespace strata::cpu
