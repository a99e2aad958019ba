// SPDX-License-Identifier: MIT Replaces jpeg.cpp if strata is built without a JPEG
// library.
#include "base/error.h"
#include "image/jpeg.h"

namespace strata {

namespace {

[[noreturn]] void lack_jpeg() {
    throw Error(
        "this strata was built without a JPEG library: install libjpeg-dev, then build it again",
        ExitCode::machine_cannot);
}

}  // namespace

bool has_jpeg() {
    return false;
}

Bitmap jpeg_extents(std::span<const std::byte>, std::string_view) {
    lack_jpeg();
}

void decode_jpeg(std::span<const std::byte>, std::string_view, Bitmap&) {
    lack_jpeg();
}

std::vector<std::byte> encode_jpeg(const Bitmap&, int) {
    lack_jpeg();
}

}  // namespace strata
