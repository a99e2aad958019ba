// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace strata {

// Pixels of eight bits in rows from the top, the channels of a pixel side by side: red, green and
// blue, or grey alone.
struct Bitmap {
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::int64_t channels = 3;  // 1 or 3
    std::vector<std::uint8_t> pixels = {};

    bool operator==(const Bitmap&) const = default;
};

// No image with more pixels is decoded: a header of a few bytes may promise four billion.
inline constexpr std::int64_t max_pixels = std::int64_t{1} << 25;

// Whether this strata was built with a JPEG library; without one the functions below throw Error.
bool has_jpeg();

// Reads the header alone. Throws Error, naming the file, where it is not a JPEG's or promises more
// than max_pixels. Of the image returned only the extents are set; channels as the file has them.
Bitmap jpeg_extents(std::span<const std::byte> file, std::string_view name);

// Decodes a whole file to `image.channels` channels, whatever it holds: colour becomes grey by its
// luminance, grey three equal channels, and CMYK is converted as Adobe's programs store it. Memory
// of `image` is used again. Throws Error, naming the file, where it is cut, damaged or too large.
void decode_jpeg(std::span<const std::byte> file, std::string_view name, Bitmap& image);

// Baseline JPEG with halved chroma, at a quality of 1 to 100. Requires: extents of 1 to 65,500 and
// their pixels.
std::vector<std::byte> encode_jpeg(const Bitmap& image, int quality);

}  // namespace strata
