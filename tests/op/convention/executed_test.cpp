// SPDX-License-Identifier: MIT
#include "op/convention/executed_kernels.h"

#include "tests/op/support.h"
#include "tests/support/error_message.h"

namespace strata {
namespace {

double count_by(const char* convention, const char* text, Pass pass = Pass::forward) {
    const Problem problem = parse_problem(text);
    return count(problem.op, signature_of(problem), pass, find_convention(convention)).value;
}

std::optional<double> kernel(const char* name, const char* text) {
    const Problem problem = parse_problem(text);
    return find_executed_kernel(name).count(problem.op, signature_of(problem));
}

TEST(Executed, AGemmFillsItsTilesUp) {
    // 1 row of 1 output over 1 channel: a tile of 128x64, 4 deep, twice its outputs and a bias.
    EXPECT_EQ(count_by("executed-gemm", "convolution(1x1x1x1) out_channels=1 kernel=1x1"),
              2 * 128 * 64 * 4 + 2 * 128 * 64 + 1);
    EXPECT_EQ(count_by("executed-gemm-64", "convolution(1x1x1x1) out_channels=1 kernel=1x1"),
              2 * 64 * 64 * 4 + 1 + 1);
}

TEST(Executed, GroupsAreProductsOfTheirOwnAndImagesShareTheirRows) {
    const double one =
        count_by("executed-gemm", "convolution(1x64x16x8) out_channels=64 kernel=1x1 bias=false");
    EXPECT_EQ(one, 2 * 128 * 64 * 64 + 2 * 128 * 64);
    EXPECT_EQ(count_by("executed-gemm",
                       "convolution(1x128x16x8) out_channels=128 kernel=1x1 groups=2 bias=false"),
              2 * one);
    EXPECT_EQ(
        count_by("executed-gemm", "convolution(2x64x8x8) out_channels=64 kernel=1x1 bias=false"),
        one);
}

TEST(Executed, WinogradIsLeftToTheConvolutionsThatItCanDo) {
    const char* strided = "convolution(1x3x9x9) out_channels=8 kernel=3x3 stride=2x2";
    EXPECT_EQ(count_by("executed-winograd", strided), count_by("executed-gemm", strided));
    EXPECT_FALSE(kernel("winograd-tile", strided));
    const char* grouped = "convolution(1x4x9x9) out_channels=8 kernel=3x3 groups=2";
    EXPECT_EQ(count_by("executed-winograd", grouped), count_by("executed-gemm", grouped));
    EXPECT_TRUE(kernel("winograd-tile", "convolution(1x4x9x9) out_channels=8 kernel=3x3"));
}

TEST(Executed, CountersSeeNoComparisonAndOneOperationForAPooledOutput) {
    EXPECT_EQ(count_by("executed-gemm", "activation(1x64x55x55)"), 0);
    EXPECT_EQ(count_by("executed-gemm", "pooling(1x64x55x55) kernel=3x3 stride=2x2"), 46'656);
    EXPECT_EQ(kernel("bias", "fully_connected(1x10) out_features=7"), 7);
    EXPECT_FALSE(kernel("bias", "fully_connected(1x10) out_features=7 bias=false"));
}

TEST(Executed, AFullyConnectedLayerOfSeveralImagesIsAGemm) {
    EXPECT_FALSE(kernel("gemv", "fully_connected(2x128) out_features=64"));
    EXPECT_EQ(count_by("executed-gemm", "fully_connected(2x128) out_features=64"),
              2 * 128 * 64 * 128 + 2 * 128 * 64 + 2 * 64);
}

TEST(Executed, BackwardPassesStayAsTheyAre) {
    const char* layer = "fully_connected(1x128) out_features=64";
    EXPECT_EQ(count_by("executed-winograd", layer, Pass::backward_data),
              count_by("multiply-add-2", layer, Pass::backward_data));
}

TEST(Executed, AnUnknownKernelIsNamed) {
    EXPECT_EQ(error_of([] { find_executed_kernel("magic"); }),
              "\"magic\" is not a kernel with known operations");
}

}  // namespace
}  // namespace strata
