// SPDX-License-Identifier: MIT
#include "image/augment.h"

#include <gtest/gtest.h>

#include <cmath>

namespace strata {
namespace {

// Red grows to the right and green downwards; blue is constant.
Bitmap ramp(std::int64_t width, std::int64_t height) {
    Bitmap image{.width = width, .height = height};
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
            image.pixels.push_back(static_cast<std::uint8_t>(x));
            image.pixels.push_back(static_cast<std::uint8_t>(y));
            image.pixels.push_back(100);
        }
    }
    return image;
}

constexpr ImageShape small{.channels = 3, .height = 5, .width = 7};

std::vector<float> resampled(const Bitmap& image, const Crop& crop, const ImageShape& shape) {
    std::vector<float> scratch, values(shape.elements());
    resample(image, crop, shape, scratch, values);
    return values;
}

// Converts normalised numbers back to pixels.
double red(float value) {
    return 255 * (0.485 + 0.229 * static_cast<double>(value));
}

TEST(AugmentTest, ACropOfTheNetworksSizeIsCopiedPixelByPixel) {
    const auto values =
        resampled(ramp(30, 20), {.left = 4, .top = 6, .width = 7, .height = 5}, small);
    for (std::size_t y = 0; y < 5; ++y) {
        for (std::size_t x = 0; x < 7; ++x) {
            EXPECT_NEAR(red(values[y * 7 + x]), 4 + static_cast<double>(x), 1e-3);
            EXPECT_NEAR(255 * (0.456 + 0.224 * values[35 + y * 7 + x]), 6 + static_cast<double>(y),
                        1e-3);
            EXPECT_NEAR(255 * (0.406 + 0.225 * values[70 + y * 7 + x]), 100, 1e-3);
        }
    }
}

TEST(AugmentTest, AMirroredCropReadsFromTheRight) {
    const Bitmap image = ramp(30, 20);
    const Crop crop{.left = 4, .top = 6, .width = 14, .height = 9};
    Crop flipped = crop;
    flipped.is_flipped = true;
    const auto straight = resampled(image, crop, small),
               mirrored = resampled(image, flipped, small);
    for (std::size_t row = 0; row < straight.size() / 7; ++row) {
        for (std::size_t x = 0; x < 7; ++x) {
            EXPECT_FLOAT_EQ(mirrored[7 * row + x], straight[7 * row + 6 - x]);
        }
    }
}

TEST(AugmentTest, StretchingALinearRampGivesALinearRamp) {
    const auto values =
        resampled(ramp(30, 20), {.left = 2, .top = 0, .width = 21, .height = 20}, small);
    for (std::size_t x = 0; x < 7; ++x) {
        EXPECT_NEAR(red(values[x]), 2 + 3 * static_cast<double>(x) + 1, 1e-3);  // pixels' centres
    }
}

TEST(AugmentTest, EveryCropLiesInsideTheImageWithItsAreaAndAspect) {
    const RandomStream stream(1, 2);
    int flipped = 0;
    for (std::uint64_t i = 0; i < 2000; ++i) {
        const Bitmap image{.width = 100 + static_cast<std::int64_t>(i % 50), .height = 80};
        const Crop crop = random_crop(image, stream, i);
        EXPECT_GE(crop.left, 0);
        EXPECT_GE(crop.top, 0);
        EXPECT_LE(crop.left + crop.width, image.width);
        EXPECT_LE(crop.top + crop.height, image.height);
        const double aspect = static_cast<double>(crop.width) / static_cast<double>(crop.height);
        EXPECT_GT(aspect, 0.72);
        EXPECT_LT(aspect, 1.38);
        EXPECT_GE(static_cast<double>(crop.width * crop.height),
                  0.075 * static_cast<double>(image.width * image.height));
        flipped += crop.is_flipped ? 1 : 0;
    }
    EXPECT_NEAR(flipped, 1000, 120);
}

TEST(AugmentTest, AStripOrASinglePixelStillHasACrop) {
    for (const auto& [width, height] : {std::pair{1, 1}, {1000, 1}, {1, 1000}, {3, 2}}) {
        const Bitmap image = ramp(width, height);
        for (std::uint64_t i = 0; i < 20; ++i) {
            const Crop crop = random_crop(image, RandomStream(3, 4), i);
            ASSERT_GE(crop.width, 1);
            ASSERT_GE(crop.height, 1);
            ASSERT_LE(crop.left + crop.width, width);
            ASSERT_LE(crop.top + crop.height, height);
            for (const float value : resampled(image, crop, small)) {
                ASSERT_TRUE(std::isfinite(value));
            }
        }
    }
}

}  // namespace
}  // namespace strata
