// SPDX-License-Identifier: MIT
#pragma once

#include "base/random.h"
#include "image/jpeg.h"

#include <cstdint>
#include <span>
#include <vector>

namespace strata {

// A network's input for one image: `channels` planes of `height` rows of `width` numbers.
struct ImageShape {
    std::int64_t channels = 3;  // 1 or 3
    std::int64_t height = 224;
    std::int64_t width = 224;

    std::size_t elements() const { return static_cast<std::size_t>(channels * height * width); }
};

// The part of an image that is shown to the network, and whether it is mirrored.
struct Crop {
    std::int64_t left = 0;
    std::int64_t top = 0;
    std::int64_t width = 0;
    std::int64_t height = 0;
    bool is_flipped = false;

    bool operator==(const Crop&) const = default;
};

// A random crop as networks are trained with (Szegedy et al. 2015, "Going deeper with
// convolutions"): 8 to 100 % of the area, 3:4 to 4:3 wide, mirrored every second time. After ten
// tries that do not fit, it is the largest centred crop that does. It depends only on element
// `index` of the stream. Requires: an image of at least one pixel.
Crop random_crop(const Bitmap& image, const RandomStream& stream, std::uint64_t index);

// Stretches a crop to the shape, linear between the four nearest pixels' centres, and normalises
// it: (value / 255 - mean) / deviation of ImageNet's training images by channel. It keeps rows for
// reuse in `scratch`. Requires: the image has the shape's channels; a crop inside it; as many
// numbers as the shape has elements.
void resample(const Bitmap& image, const Crop& crop, const ImageShape& shape,
              std::vector<float>& scratch, std::span<float> values);

}  // namespace strata
