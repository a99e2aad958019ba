// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/batch_last.h"
#include "tests/backend/cpu/convolution/outcome.h"

#include <gtest/gtest.h>

#include <array>

// The direct convolution of images whose batch is last.

namespace strata::cpu {
namespace {

ConvolutionMethod direct() {
    return {"direct", prepare_batch_last};
}

// Batches from one image to several vectors of any width, most of them incomplete.
std::vector<ProblemShape> ragged_batches() {
    constexpr std::array<std::int64_t, 7> batches = {16, 1, 3, 32, 33, 9, 20};
    std::vector<ProblemShape> shapes = ragged_shapes();
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        shapes[i].x.front() = batches[i % batches.size()];
    }
    // More images, and more channels, than are processed at a time.
    shapes.push_back({.x = {67, 4, 3, 3}, .filter = {9, 2, 2}, .bias = true, .sum = true});
    shapes.push_back({.x = {18, 120, 4, 5},
                      .filter = {8, 3, 3},
                      .pad_begin = {1, 1},
                      .pad_end = {1, 1},
                      .bias = true,
                      .sum = true,
                      .relu = true,
                      .threads = 3});
    return shapes;
}

// Sums of up to several thousand products of numbers below 1, each rounded once.
constexpr double batch_last_bound = 3e-6;

void expect_exact(const ConvolutionProblem& problem) {
    const Outcome outcome = outcome_of(direct(), problem);
    EXPECT_LT(outcome.max_error(), batch_last_bound) << text_of(problem);
    EXPECT_LT(outcome.max_bias_error(), batch_last_bound) << text_of(problem);
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

TEST(BatchLast, CountsImagesPaddedToVectors) {
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
                  "3 spatial axes: only 1 and 2 are supported");
    }
}

}  // namespace
}  // namespace strata::cpu
