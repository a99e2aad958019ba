// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace strata {

// A JPEG file in memory.
struct EncodedImage {
    std::string name;
    std::vector<std::byte> file;
};

// Images that an input pipeline reads again and again.
struct ImageCollection {
    std::string name;  // "synthetic", or the folder's own name
    std::vector<EncodedImage> images;
    double pixels = 0;  // total of all files

    Bytes bytes() const;
};

// 64 images of 256 x 256 pixels at quality 90: noise over gradients, so that they are about as
// large as photographs. The same seed gives the same bytes.
ImageCollection synthetic_images(std::uint64_t seed);

// The .jpg and .jpeg files of a folder in the order of their names, each decoded once to
// check it; at most the first 256, and 256 MiB in total. Subfolders are not read. Throws
// Error if there is no such folder, it has no such file or one of them cannot be
// decoded.
ImageCollection read_images(const std::filesystem::path& folder);

}  // namespace strata
