// SPDX-License-Identifier: MIT
#include "tests/backend/cpu/convolution/outcome.h"

#include <gtest/gtest.h>

// The direct convolution of images whose batch is last.

namespace strata::cpu {
namespace {

const ConvolutionMethod& direct() {
    return method_named("direct");
}

// Batches of one image up to several vectors of any width, most of them not whole.
std::vector<ProblemShape> ragged_batches() {
    return {
        {.x = {16, 3, 9, 11},
         .filter = {5, 3, 3},
         .pad_begin = {1, 1},
         .pad_end = {1, 1},
         .bias = true},
        {.x = {1, 1, 1, 1}, .filter = {1, 1, 1}, .sum = true},
        {.x = {3, 17, 7, 7}, .filter = {33, 1, 1}, .bias = true, .sum = true, .relu = true},
        {.x = {32, 20, 6, 5}, .filter = {19, 1, 1}, .stride = {2, 2}},
        {.x = {33, 4, 13, 13}, .filter = {13, 1, 1}, .pad_begin = {1, 0}, .pad_end = {0, 2}},
        {.x = {9, 3, 31, 27},
         .filter = {5, 11, 11},
         .stride = {4, 4},
         .pad_begin = {2, 2},
         .pad_end = {2, 2},
         .bias = true},
        {.x = {24, 12, 15, 14},
         .filter = {18, 5, 5},
         .pad_begin = {2, 2},
         .pad_end = {2, 2},
         .groups = 2,
         .sum = true,
         .relu = true},
        {.x = {20, 6, 10, 9},
         .filter = {6, 3, 3},
         .pad_begin = {1, 1},
         .pad_end = {1, 1},
         .groups = 6},
        {.x = {5, 4, 12, 13},
         .filter = {7, 3, 2},
         .stride = {2, 3},
         .dilation = {3, 2},
         .pad_begin = {3, 0},
         .pad_end = {0, 4}},
        {.x = {8, 3, 4, 4}, .filter = {4, 7, 7}, .pad_begin = {3, 3}, .pad_end = {3, 3}},
        {.x = {2, 3, 2, 3},
         .filter = {4, 5, 6},
         .pad_begin = {4, 5},
         .pad_end = {2, 1},
         .bias = true},
        {.x = {17, 2, 9, 9}, .filter = {3, 2, 2}, .stride = {3, 3}},
        {.x = {1, 2, 8, 8}, .filter = {3, 1, 2}, .stride = {4, 5}, .pad_begin = {1, 1}},
        {.x = {3, 5, 21},
         .filter = {6, 4},
         .stride = {2},
         .pad_begin = {3},
         .pad_end = {1},
         .sum = true},
        {.x = {67, 4, 3, 3}, .filter = {9, 2, 2}, .bias = true, .sum = true},
        {.x = {7, 2, 3, 150}, .filter = {9, 2, 3}, .pad_begin = {1, 1}, .pad_end = {0, 1}},
        // More channels than are done at a time.
        {.x = {18, 120, 4, 5},
         .filter = {8, 3, 3},
         .pad_begin = {1, 1},
         .pad_end = {1, 1},
         .bias = true,
         .sum = true,
         .relu = true,
         .threads = 3},
    };
}

// Sums of up to some thousand products of numbers below 1, each rounded once.
constexpr double bound = 3e-6;

void expect_exact(const ConvolutionProblem& problem) {
    const Outcome outcome = outcome_of(direct(), problem);
    EXPECT_LT(outcome.max_error(), bound) << text_of(problem);
    EXPECT_LT(outcome.max_bias_error(), bound) << text_of(problem);
    EXPECT_EQ(outcome.faults, std::vector<std::string>()) << text_of(problem);
    EXPECT_EQ(outcome.orders.x, ImageOrder::chwn);
    EXPECT_EQ(outcome.orders.y, ImageOrder::chwn);
}

TEST(BatchLast, AgreesWithAConvolutionInDoublePrecisionOnEveryInstructionSet) {
    for (const Isa isa : tested_isas) {
        const CappedIsa capped(isa);
        for (const ProblemShape& shape : ragged_batches()) {
            for (const Pass pass : tested_passes) {
                expect_exact(problem_of(pass, shape));
            }
        }
    }
}

TEST(BatchLast, KeepsConstantWeightsPacked) {
    for (ProblemShape shape : ragged_batches()) {
        shape.constant_weights = true;
        expect_exact(problem_of(Pass::forward, shape));
    }
}

TEST(BatchLast, GivesTheSameBitsAtEachRunAndForResultsOnAnyNumberOfThreads) {
    for (ProblemShape shape : ragged_batches()) {
        for (const Pass pass : tested_passes) {
            const auto once = outcome_of(direct(), problem_of(pass, shape)).result;
            EXPECT_EQ(outcome_of(direct(), problem_of(pass, shape)).result, once);
        }
        const auto with = [&](int threads) {
            shape.threads = threads;
            return outcome_of(direct(), problem_of(Pass::forward, shape)).result;
        };
        EXPECT_EQ(with(1), with(5));
    }
}

TEST(BatchLast, CountsImagesFilledUpToVectors) {
    const CappedIsa capped(Isa::baseline);
    // 3 images are one vector of 4.
    const ProblemShape shape = {.x = {3, 3, 9, 11}, .filter = {5, 3, 3}, .bias = true};
    for (const Pass pass : {Pass::forward, Pass::backward_weights}) {
        const Operations operations = direct().prepare(problem_of(pass, shape), {})->operations();
        EXPECT_EQ(operations.multiply_adds, 4 * 5 * 7 * 9 * 3 * 9);
        EXPECT_EQ(operations.bias_adds, 3 * 5 * 7 * 9);
    }
}

TEST(BatchLast, RefusesVolumes) {
    const ProblemShape shape = {.x = {1, 2, 4, 4, 4}, .filter = {3, 2, 2, 2}};
    for (const Pass pass : tested_passes) {
        EXPECT_EQ(refusal_of(direct(), problem_of(pass, shape)),
                  "3 spatial axes: only 1 and 2 are done");
    }
}

}  // namespace
}  // namespace strata::cpu
