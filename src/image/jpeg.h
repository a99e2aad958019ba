// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace strata {

// 8-bit pixels in rows from the top, the channels of a pixel side by side: red, green and blue, or
// only grey.
struct Bitmap {
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::int64_t channels = 3;  // 1 or 3
    std::vector<std::uint8_t> pixels = {};

    bool operator==(const Bitmap&) const = default;
};

// No image with more pixels is decoded: a header of a few bytes can claim four billion.
inline constexpr std::int64_t max_pixels = std::int64_t{1} << 25;

// Whether this strata was built with a JPEG library; without one the functions below throw Error.
bool has_jpeg();

// Reads only the header. Throws Error, naming the file, if it is not a JPEG or claims more than
// max_pixels. The returned image has only its extents and the file's channels set.
Bitmap jpeg_extents(std::span<const std::byte> file, std::string_view name);

// Decodes a whole file to `image.channels` channels, whatever it holds: colour becomes grey by its
// luminance, grey three equal channels, and CMYK is converted the way Adobe's programs store it.
// The memory of `image` is reused. Throws Error, naming the file, if it is truncated, damaged or
// too large.
void decode_jpeg(std::span<const std::byte> file, std::string_view name, Bitmap& image);

// Baseline JPEG with halved chroma, at a quality of 1 to 100. Requires: extents of 1 to 65,500 and
// their pixels.
std::vector<std::byte> encode_jpeg(const Bitmap& image, int quality);

}  // namespace strata
