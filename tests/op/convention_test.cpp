// SPDX-License-Identifier: MIT
#include "op/convention/executed.h"
#include "tests/op/support.h"
#include "tests/support/error_message.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace strata {
namespace {

double count_by(const char* convention, const std::string& text, Pass pass = Pass::forward) {
    const Problem problem = parse_problem(text);
    return count(problem.op, signature_of(problem), pass, find_convention(convention)).value;
}

constexpr const char* fc8 = "fully_connected(2x4096) out_features=1000";

TEST(Convention, TheDefaultCountsAMultiplyAddTwiceAndNoBias) {
    EXPECT_EQ(conventions()[0].name, "multiply-add-2");
    EXPECT_EQ(count_by("multiply-add-2", fc8), 2 * 8'192'000.0);
}

TEST(Convention, MacsAreHalfAndBiasesAddOneAnOutput) {
    EXPECT_EQ(count_by("multiply-add-1", fc8), 8'192'000);
    EXPECT_EQ(count_by("with-bias", fc8), 2 * 8'192'000 + 2000);
}

TEST(Convention, DongCountsASoftmaxAsTheSquareOfItsRow) {
    EXPECT_EQ(count_by("dong2018", "softmax(1x1000)"), 1'000'000);
    EXPECT_EQ(count_by("dong2018", "softmax(3x1000)"), 3'000'000);
    EXPECT_EQ(count_by("dong2018", "softmax(1x1000)", Pass::backward_data), 4000);
    EXPECT_EQ(count_by("dong2018", "lrn(1x256x27x27)"), 2'612'736);
}

TEST(Convention, TheProductsConventionCountsNothingElse) {
    EXPECT_EQ(count_by("products", fc8), 2 * 8'192'000);
    EXPECT_EQ(count_by("products", "activation(2x64)"), 0);
    EXPECT_EQ(count_by("products", "batch_normalization(2x64x8x8)"), 0);
}

TEST(Convention, LevinthalAddsOncePerInputChannelAndReadsEachPlane) {
    const char* conv3 =
        "convolution(1x192x13x13) out_channels=384 kernel=3x3 pad_begin=1x1 "
        "pad_end=1x1";
    EXPECT_EQ(count_by("levinthal", conv3), 19.0 * 192 * 169 * 384 + 192 * 169);
    EXPECT_EQ(count_by("levinthal", "pooling(1x64x55x55) kind=average kernel=3x3 stride=2x2"),
              9 * 64 * 27 * 27);
    EXPECT_EQ(count_by("levinthal", "activation(1x64x55x55)"), 193'600);
    EXPECT_EQ(count_by("levinthal", conv3, Pass::backward_data),
              count_by("multiply-add-2", conv3, Pass::backward_data));
}

TEST(Convention, EveryNameIsUniqueAndExplained) {
    std::set<std::string_view> names;
    for (const Convention& convention : conventions()) {
        EXPECT_TRUE(names.insert(convention.name).second) << convention.name;
        EXPECT_TRUE(convention.meaning.ends_with(".")) << convention.name;
    }
}

TEST(Convention, AMisspeltNameIsAnsweredWithTheNearest) {
    try {
        find_convention("dong2081");
        FAIL() << "no such convention";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_TRUE(contains(error.what(), "did you mean \"dong2018\"?"));
    }
}

std::optional<double> kernel(const char* name, const char* text) {
    const Problem problem = parse_problem(text);
    return find_executed_kernel(name).count(problem.op, signature_of(problem));
}

TEST(Executed, AGemmPadsItsTiles) {
    // 1 row of 1 output over 1 channel: a tile of 128x64, 4 deep, twice its outputs and a bias.
    EXPECT_EQ(count_by("executed-gemm", "convolution(1x1x1x1) out_channels=1 kernel=1x1"),
              2 * 128 * 64 * 4 + 2 * 128 * 64 + 1);
    EXPECT_EQ(count_by("executed-gemm-64", "convolution(1x1x1x1) out_channels=1 kernel=1x1"),
              2 * 64 * 64 * 4 + 1 + 1);
}

TEST(Executed, GroupsAreSeparateProductsAndImagesShareTheirRows) {
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

TEST(Executed, WinogradIsCountedOnlyForConvolutionsItCanCompute) {
    const char* strided = "convolution(1x3x9x9) out_channels=8 kernel=3x3 stride=2x2";
    EXPECT_EQ(count_by("executed-winograd", strided), count_by("executed-gemm", strided));
    EXPECT_FALSE(kernel("winograd-tile", strided));
    const char* grouped = "convolution(1x4x9x9) out_channels=8 kernel=3x3 groups=2";
    EXPECT_EQ(count_by("executed-winograd", grouped), count_by("executed-gemm", grouped));
    EXPECT_TRUE(kernel("winograd-tile", "convolution(1x4x9x9) out_channels=8 kernel=3x3"));
}

TEST(Executed, CountersIgnoreComparisonsAndSeeOneOperationPerPooledOutput) {
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

TEST(Executed, BackwardPassesAreNotOverridden) {
    const char* layer = "fully_connected(1x128) out_features=64";
    EXPECT_EQ(count_by("executed-winograd", layer, Pass::backward_data),
              count_by("multiply-add-2", layer, Pass::backward_data));
}

TEST(Executed, AnUnknownKernelIsNamed) {
    EXPECT_EQ(error_of([] { find_executed_kernel("magic"); }),
              "\"magic\" is not a kernel with known operations");
}

}  // namespace

// The formulas behind the bars of Kim et al. 2017, Fig. 9c, for 256 images, in G.

namespace {

// In G, to the digits in which the bars' formulas are known.
double giga(const char* convention, const char* text) {
    return std::round(count_by(convention, text) / 1e8) / 10;
}

constexpr const char* conv2 =
    "convolution(256x96x27x27) out_channels=256 kernel=5x5 pad_begin=2x2 pad_end=2x2";
constexpr const char* conv3 =
    "convolution(256x256x13x13) out_channels=384 kernel=3x3 pad_begin=1x1 pad_end=1x1";
constexpr const char* conv4 =
    "convolution(256x384x13x13) out_channels=384 kernel=3x3 pad_begin=1x1 pad_end=1x1";

TEST(TapsWithoutPadding, CountsTheTapsInsideTheInputPerAxis) {
    EXPECT_EQ(giga("taps-without-padding", conv2), 209.4);
    EXPECT_EQ(giga("taps-without-padding", conv3), 68.9);
    EXPECT_EQ(giga("taps-without-padding", conv4), 103.4);
    // 37 of 39 pairs of output and tap on each axis.
    EXPECT_EQ(count_by("taps-without-padding", conv3) * 39 * 39,
              count_by("multiply-add-2", conv3) * 37 * 37);
}

// By definition: every output, every tap.
double counted_by_hand(std::int64_t extent, std::int64_t kernel, std::int64_t stride,
                       std::int64_t dilation, std::int64_t pad) {
    double pairs = 0;
    const std::int64_t outputs = (extent + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
    for (std::int64_t output = 0; output < outputs; ++output) {
        for (std::int64_t tap = 0; tap < kernel; ++tap) {
            const std::int64_t at = output * stride + tap * dilation - pad;
            pairs += at >= 0 && at < extent ? 1 : 0;
        }
    }
    return pairs;
}

TEST(TapsWithoutPadding, IsRightForEveryStrideDilationAndPad) {
    for (const std::int64_t stride : {1, 2, 3}) {
        for (const std::int64_t dilation : {1, 2}) {
            for (const std::int64_t pad : {0, 1, 4, 7}) {
                const auto text = fmt::format(
                    "convolution(1x1x9) out_channels=1 kernel=3 stride={} dilation={} "
                    "pad_begin={} pad_end={}",
                    stride, dilation, pad, pad);
                EXPECT_EQ(count_by("taps-without-padding", text),
                          2 * counted_by_hand(9, 3, stride, dilation, pad))
                    << text;
            }
        }
    }
}

TEST(TapsWithoutPadding, HoldsForGradientsAndIsNominalWithoutPadding) {
    EXPECT_EQ(count_by("taps-without-padding", conv3, Pass::backward_weights),
              count_by("taps-without-padding", conv3));
    const std::string plain = "convolution(2x8x9x9) out_channels=8 kernel=3x3 groups=2";
    EXPECT_EQ(count_by("taps-without-padding", plain), count_by("multiply-add-2", plain));
    EXPECT_EQ(count_by("taps-without-padding", "activation(2x8)"), 16);
}

TEST(WinogradDomain, IsTheProductsOfTilesOfFour) {
    EXPECT_EQ(giga("winograd-domain", conv2), 39.5);
    EXPECT_EQ(giga("winograd-domain", conv3), 29.0);
    EXPECT_EQ(giga("winograd-domain", conv4), 43.5);
    const std::string strided = "convolution(1x3x9x9) out_channels=8 kernel=3x3 stride=2x2";
    EXPECT_EQ(count_by("winograd-domain", strided), count_by("multiply-add-2", strided));
    const std::string seven = "convolution(1x3x9x9) out_channels=8 kernel=7x7";
    EXPECT_EQ(count_by("winograd-domain", seven), count_by("multiply-add-2", seven));
}

TEST(FftDomain, IsTheProductsOfPlanesOfAPowerOfTwo) {
    EXPECT_EQ(giga("fft-domain", conv2), 27.4);
    EXPECT_EQ(giga("fft-domain", conv3), 29.0);
    EXPECT_EQ(giga("fft-domain", conv4), 43.5);
    const std::string strided = "convolution(1x3x9x9) out_channels=8 kernel=3x3 stride=2x2";
    EXPECT_EQ(count_by("fft-domain", strided), count_by("multiply-add-2", strided));
}

}  // namespace
}  // namespace strata
