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
    double pixels = 0;  // of all of them

    Bytes bytes() const;
};

// 64 images of 256 x 256 pixels at quality 90: noise over gradients, so that they are about as
// large as photographs. The same seed gives the same bytes.
ImageCollection synthetic_images(std::uint64_t seed);

// The files of a folder that end in .jpg or .jpeg, in the order of their names, each decoded once
// to see that it can be; at most the first 256, and of 256 MiB together. Folders below it are not
// read. Throws Error where there is no such folder, it has no such file or one of them cannot be
// decoded.
ImageCollection read_images(const std::filesystem::path& folder);

}  // namespace strata
