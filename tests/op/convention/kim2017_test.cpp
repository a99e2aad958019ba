// SPDX-License-Identifier: MIT
// The formulas behind the bars of Kim et al. 2017, Fig. 9c, for 256 images, in G.
#include "tests/op/support.h"

#include <fmt/format.h>

#include <cmath>

namespace strata {
namespace {

double count_by(const char* convention, const std::string& text, Pass pass = Pass::forward) {
    const Problem problem = parse_problem(text);
    return count(problem.op, signature_of(problem), pass, find_convention(convention)).value;
}

// In G, to the digits to which the bars' formulas are known.
double giga(const char* convention, const char* text) {
    return std::round(count_by(convention, text) / 1e8) / 10;
}

constexpr const char* conv2 =
    "convolution(256x96x27x27) out_channels=256 kernel=5x5 pad_begin=2x2 pad_end=2x2";
constexpr const char* conv3 =
    "convolution(256x256x13x13) out_channels=384 kernel=3x3 pad_begin=1x1 pad_end=1x1";
constexpr const char* conv4 =
    "convolution(256x384x13x13) out_channels=384 kernel=3x3 pad_begin=1x1 pad_end=1x1";

TEST(TapsWithoutPadding, CountsTheTapsThatMeetTheInputPerAxis) {
    EXPECT_EQ(giga("taps-without-padding", conv2), 209.4);
    EXPECT_EQ(giga("taps-without-padding", conv3), 68.9);
    EXPECT_EQ(giga("taps-without-padding", conv4), 103.4);
    // 37 of 39 pairs of output and tap on each axis.
    EXPECT_EQ(count_by("taps-without-padding", conv3) * 39 * 39,
              count_by("multiply-add-2", conv3) * 37 * 37);
}

// By the definition: every output, every tap.
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

TEST(TapsWithoutPadding, HoldsForGradientsAndWithoutPaddingChangesNothing) {
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
