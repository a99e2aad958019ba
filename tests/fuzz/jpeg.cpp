// SPDX-License-Identifier: MIT
// Any bytes as a JPEG file, decoded in colour and in grey, and cropped as for a network.
#include "base/error.h"
#include "image/augment.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace strata;
    const auto file = std::as_bytes(std::span(data, size));
    try {
        const Bitmap extents = jpeg_extents(file, "fuzz.jpg");
        if (extents.width * extents.height > 1 << 20) {
            return 0;  // a few bytes may stand for a large image of one colour: slow, not wrong
        }
        for (const std::int64_t channels : {1, 3}) {
            Bitmap image{.channels = channels};
            decode_jpeg(file, "fuzz.jpg", image);
            const ImageShape shape{.channels = channels, .height = 8, .width = 8};
            std::vector<float> scratch, values(shape.elements());
            resample(image, random_crop(image, RandomStream(1, 2), size), shape, scratch, values);
        }
    } catch (const Error&) {
    }
    return 0;
}
