// SPDX-License-Identifier: MIT
#include "graph/expected_algorithm.h"

#include "op/convolution.h"

#include <gtest/gtest.h>

#include <array>

namespace strata {

namespace {

constexpr std::array passes = {Pass::forward, Pass::backward_data, Pass::backward_weights};
constexpr std::array known = {256, 512};  // bits: AVX2, AVX-512

// A convolution that keeps the image's extents.
struct Problem {
    Convolution op;
    Tensor x;
    Tensor y;

    Problem(std::int64_t images, std::int64_t channels, std::int64_t extent, std::int64_t outputs,
            std::int64_t window = 3)
        : op{.out_channels = outputs,
             .kernel = {window, window},
             .pad_begin = {window / 2, window / 2},
             .pad_end = {window / 2, window / 2}},
          x{{images, channels, extent, extent}},
          y{{images, outputs, extent, extent}} {}

    ConvolutionTask pass(Pass which, bool keeps_filters = false) const {
        return {op, x, y, which, keeps_filters};
    }
};

// (VGG-16's conv3_2, with four images, takes a third of direct convolution's time in every pass.)
TEST(ExpectedAlgorithm, IsWinogradForManyTilesAndChannels) {
    const Problem vgg(4, 256, 56, 256);
    for (const int bits : known) {
        for (const Pass pass : passes) {
            const auto expected = faster_than_direct(vgg.pass(pass), bits);
            ASSERT_TRUE(expected) << name_of(pass);
            EXPECT_EQ(expected->algorithm, ConvolutionAlgorithm::winograd_4x4_3x3);
            EXPECT_GT(expected->time_share, 0.2);
            EXPECT_LT(expected->time_share, 0.5);
        }
    }
    const Problem alexnet(32, 96, 27, 256, 5);
    EXPECT_EQ(faster_than_direct(alexnet.pass(Pass::forward), 256)->algorithm,
              ConvolutionAlgorithm::winograd_4x4_5x5);
}

// Transforming the filters costs more than the products save: measured, 4.8 times direct's time.
TEST(ExpectedAlgorithm, IsDirectForFewTilesOfManyChannels) {
    const Problem last(1, 512, 7, 512);
    for (const int bits : known) {
        EXPECT_FALSE(faster_than_direct(last.pass(Pass::backward_weights), bits));
        EXPECT_GT(expected_of(ConvolutionAlgorithm::winograd_4x4_3x3,
                              last.pass(Pass::backward_weights), bits)
                      ->time_share,
                  1);
    }
}

TEST(ExpectedAlgorithm, IsDirectIfTheAlgorithmDoesNotExist) {
    Problem strided(4, 256, 56, 256);
    strided.op.stride = {2, 2};
    strided.y.dims = {4, 256, 28, 28};
    Problem dilated(4, 256, 56, 256);
    dilated.op.dilation = {2, 2};
    const Problem pointwise(4, 256, 56, 256, 1), wide(4, 256, 56, 256, 7);
    Problem line(4, 256, 56, 256);
    line.op.kernel = line.op.pad_begin = line.op.pad_end = {3};
    line.x.dims = line.y.dims = {4, 256, 56};
    for (const Problem& problem : {strided, dilated, pointwise, wide, line}) {
        EXPECT_FALSE(faster_than_direct(problem.pass(Pass::forward), 512));
    }
    const Problem vgg(4, 256, 56, 256);
    EXPECT_FALSE(faster_than_direct(vgg.pass(Pass::update), 512));
    EXPECT_FALSE(expected_of(ConvolutionAlgorithm::fft, vgg.pass(Pass::forward), 512));
}

TEST(ExpectedAlgorithm, IsDirectWhereNothingWasMeasured) {
    const Problem vgg(4, 256, 56, 256);
    EXPECT_FALSE(faster_than_direct(vgg.pass(Pass::forward), 128));
}

TEST(ExpectedAlgorithm, GainsMoreWithMoreImagesAndWithFiltersTransformedOnce) {
    for (const int bits : known) {
        for (const Pass pass : passes) {
            double before = 1e9;
            for (const std::int64_t images : {1, 2, 8, 32, 128}) {
                const Problem problem(images, 256, 14, 256);
                const auto expected =
                    expected_of(ConvolutionAlgorithm::winograd_4x4_3x3, problem.pass(pass), bits);
                ASSERT_TRUE(expected);
                EXPECT_LT(expected->time_share, before) << images;
                before = expected->time_share;
            }
        }
        const Problem problem(1, 256, 14, 256);
        const auto share = [&](bool keeps_filters) {
            return expected_of(ConvolutionAlgorithm::winograd_4x4_3x3,
                               problem.pass(Pass::forward, keeps_filters), bits)
                ->time_share;
        };
        EXPECT_LT(share(true), share(false));
    }
}

// The multiplications of one tile over those of its results: 14 tiles fill 56 rows, four tiles have
// two rows more than 14.
TEST(ExpectedAlgorithm, ProductsExecuteTheShareOfTheirTiles) {
    using enum ConvolutionAlgorithm;
    const Problem vgg(4, 256, 56, 256), last(4, 512, 14, 512);
    for (const Pass pass : passes) {
        EXPECT_DOUBLE_EQ(*product_share(winograd_2x2_3x3, vgg.pass(pass)), 16.0 / (4 * 9));
        EXPECT_DOUBLE_EQ(*product_share(winograd_4x4_3x3, vgg.pass(pass)), 36.0 / (16 * 9));
        EXPECT_DOUBLE_EQ(*product_share(winograd_4x4_3x3, last.pass(pass)),
                         36.0 * 16 / (14 * 14 * 9));
        EXPECT_FALSE(product_share(direct, vgg.pass(pass)));
        EXPECT_FALSE(product_share(winograd_4x4_5x5, vgg.pass(pass)));
    }
}

// Two groups do twice the work of one, and save the same share of it.
TEST(ExpectedAlgorithm, CountsEachGroup) {
    Problem grouped(4, 512, 28, 512);
    grouped.op.groups = 2;
    const Problem single(4, 256, 28, 256);
    const auto share = [](const Problem& problem) {
        return expected_of(ConvolutionAlgorithm::winograd_4x4_3x3,
                           problem.pass(Pass::backward_data), 256)
            ->time_share;
    };
    EXPECT_NEAR(share(grouped), share(single), 0.01);
}

}  // namespace

}  // namespace strata
