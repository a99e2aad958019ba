// SPDX-License-Identifier: MIT
#include "predict/systolic.h"

#include "base/error.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

DeviceDescription tpu() {
    return find_description("tpu-v2");
}

TEST(Systolic, NoProductIsFasterThanItsMultiplyAdders) {
    for (const GemmProblem& problem :
         {GemmProblem{.m = 1, .n = 1, .k = 1}, GemmProblem{.m = 5000, .n = 128, .k = 128},
          GemmProblem{.batch = 3, .m = 77, .n = 1000, .k = 129}}) {
        const double least = static_cast<double>(problem.batch * problem.m * problem.n) *
                             static_cast<double>(problem.k) / (128 * 128);
        EXPECT_GE(overlapped_cycles(problem, {}), least);
    }
}

TEST(Systolic, LargeProductsFillTheArraysAndSmallOnesDoNot) {
    const GemmProblem large{.m = 16384, .n = 4096, .k = 4096};
    const SystolicPrediction found = predict_systolic_gemm(large, tpu(), {});
    EXPECT_GT(found.utilisation, 0.95);
    EXPECT_LE(found.utilisation, 1);
    EXPECT_GT(found.time, Flops{2.0 * 16384 * 4096 * 4096} / peak_of(tpu(), Arithmetic::bf16));
    EXPECT_LT(predict_systolic_gemm({.m = 16, .n = 10, .k = 10}, tpu(), {}).utilisation, 0.01);
}

// 129 columns need two parts of an array; the second is nearly empty.
TEST(Systolic, ExtentsArePaddedToTheArray) {
    const auto cycles = [](std::int64_t n) {
        return overlapped_cycles({.m = 4096, .n = n, .k = 1024}, {});
    };
    EXPECT_EQ(cycles(1), cycles(128));
    EXPECT_NEAR(cycles(129) / cycles(128), 2, 0.02);
    EXPECT_EQ(overlapped_cycles({.m = 1017, .n = 128, .k = 128}, {}),
              overlapped_cycles({.m = 1024, .n = 128, .k = 128}, {}));
}

TEST(Systolic, TwiceTheArraysAreFaster) {
    const GemmProblem problem{.m = 8192, .n = 4096, .k = 4096};
    DeviceDescription wide = tpu();
    change(wide, "matrix_lanes=2x");
    EXPECT_NEAR(predict_systolic_gemm(problem, tpu(), {}).arithmetic /
                    predict_systolic_gemm(problem, wide, {}).arithmetic,
                2, 0.05);
    EXPECT_LT(predict_systolic_gemm(problem, find_description("tpu-v3"), {}).time,
              predict_systolic_gemm(problem, tpu(), {}).time);
}

TEST(Systolic, ADeviceWithoutArraysIsRefused) {
    EXPECT_THROW(predict_systolic_gemm({}, find_description("v100"), {}), Error);
}

}  // namespace

}  // namespace strata::testing
