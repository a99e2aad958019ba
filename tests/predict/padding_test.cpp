// SPDX-License-Identifier: MIT
#include "predict/padding.h"

#include "predict/rates.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

// Rates by group, as in DeepBench's boards.
struct Grouped {
    DeviceDescription device = find_description("gtx-1080-ti");
    GemmRates rates = rates_of(device.name).gemm.at("gemm fp32");
    std::vector<GemmKernel> candidates = candidate_kernels(rates);

    ProductPlan plan(const GemmProblem& problem) const {
        return planned_product(problem, candidates, device, rates);
    }
    Seconds unpadded(const GemmProblem& problem) const {
        const GemmKernel kernel = planned_kernel(problem, candidates, device, rates);
        return predict_gemm(problem, kernel, device, rates).time;
    }
};

TEST(Padding, ARowOrAColumnMoreOrALongerSumNeverTakesLessTime) {
    const Grouped board;
    for (const bool transposed : {false, true}) {
        for (const std::int64_t size : {16, 32, 63, 64, 127, 128, 480, 1104, 2048}) {
            for (const std::int64_t depth : {96, 500, 2050, 37'000}) {
                const GemmProblem one{
                    .m = size, .n = 128, .k = depth, .b_is_transposed = transposed};
                GemmProblem taller = one, wider = one, deeper = one;
                taller.m += 1 + size / 16;
                wider.n = 129;
                deeper.k += depth / 10;
                const Seconds time = board.plan(one).prediction.time;
                for (const GemmProblem& larger : {taller, wider, deeper}) {
                    EXPECT_GE(board.plan(larger).prediction.time / time, 0.99)
                        << size << " x 128 x " << depth;
                }
            }
        }
    }
}

TEST(Padding, APlanIsNeverSlowerThanWithoutAndSaysAsWhatItRuns) {
    const Grouped board;
    int padded = 0;
    for (std::int64_t rows = 1; rows <= 128; ++rows) {
        const GemmProblem problem{.m = rows, .n = 4096, .k = 1024, .b_is_transposed = true};
        const ProductPlan plan = board.plan(problem);
        EXPECT_LE(plan.prediction.time, board.unpadded(problem));
        EXPECT_GE(plan.padded.m, problem.m);
        EXPECT_GE(plan.padded.k, problem.k);
        padded += plan.padded.m > problem.m ? 1 : 0;
    }
    EXPECT_GT(padded, 0);
    EXPECT_LT(padded, 128);
}

TEST(Padding, ASumThatIsOneTooShortForASplitIsPaddedToIt) {
    const DeviceDescription device = find_description("v100-pcie");
    const GemmRates rates = rates_of(device.name).gemm.at("bmm");
    const auto candidates = candidate_kernels(rates);
    const GemmProblem whole{.m = 64, .n = 64, .k = 512};
    GemmProblem shorter = whole;
    shorter.k = 511;
    const ProductPlan plan = planned_product(shorter, candidates, device, rates);
    EXPECT_EQ(plan.padded.k, 512);
    EXPECT_LE(plan.prediction.time,
              planned_product(whole, candidates, device, rates).prediction.time);
}

TEST(Padding, ChannelsAndFiltersOfEachGroupAreFilledToEights) {
    const DeviceDescription device = find_description("a100-40");
    ConvolutionProblem problem{.n = 8, .c = 36, .h = 14, .w = 14, .k = 72, .r = 3, .s = 3};
    problem.arithmetic = Arithmetic::f16;
    problem.groups = 4;
    const auto padded = padded_for_matrix_units(problem, device);
    ASSERT_TRUE(padded);
    EXPECT_EQ(padded->c, 4 * 16);
    EXPECT_EQ(padded->k, 4 * 24);
    EXPECT_FALSE(padded_for_matrix_units(*padded, device));
    EXPECT_FALSE(padded_for_matrix_units(problem, find_description("p100")));
    problem.groups = problem.c;  // frameworks have special loops
    EXPECT_FALSE(padded_for_matrix_units(problem, device));
}

TEST(Padding, StepsTakeNoLessTimeWithMoreSequencesThoughMeasuredOnesMay) {
    for (const char* const name : {"gtx-1080-ti", "titan-x-pascal", "p100-pcie", "v100"}) {
        const DeviceDescription device = find_description(name);
        for (const auto& [what, rates] : rates_of(device.name).recurrent) {
            Seconds before;
            for (std::int64_t batch = 1; batch <= 160; ++batch) {
                const RecurrentProblem problem{
                    .cell = RecurrentCell::gru, .hidden = 512, .batch = batch, .steps = 50};
                const Seconds time = planned_steps(problem, device, rates).time;
                EXPECT_GE(time / before, 0.995) << name << ", " << what << ", " << batch;
                before = time;
            }
        }
    }
}

}  // namespace

}  // namespace strata::testing
