// SPDX-License-Identifier: MIT
#include "image/augment.h"

#include "base/error.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

constexpr double smallest_area = 0.08;
constexpr double widest_aspect = 4.0 / 3.0;
constexpr std::uint64_t tries = 10;
constexpr std::uint64_t draws_per_crop = 4 * tries + 1;

// Statistics of the 1.28 million training images of ImageNet 2012, as stated by torchvision.
struct Normal {
    float mean;
    float deviation;
};
constexpr std::array<Normal, 3> of_colours = {
    {{0.485F, 0.229F}, {0.456F, 0.224F}, {0.406F, 0.225F}}};
constexpr Normal of_grey = {0.449F, 0.226F};  // means of the three

// The largest centred crop within the allowed aspect ratios.
Crop middle_crop(const Bitmap& image) {
    const auto bounded = [](std::int64_t extent, std::int64_t other) {
        const double most = static_cast<double>(other) * widest_aspect;
        return std::max<std::int64_t>(
            1, std::min(extent, static_cast<std::int64_t>(std::lround(most))));
    };
    const std::int64_t width = bounded(image.width, image.height);
    const std::int64_t height = bounded(image.height, image.width);
    return {.left = (image.width - width) / 2,
            .top = (image.height - height) / 2,
            .width = width,
            .height = height};
}

// The two pixels of the crop between which a pixel of the result lies.
struct Between {
    std::int64_t first = 0;
    std::int64_t second = 0;
    float weight = 0;  // weight of the second
};

Between between(std::int64_t at, std::int64_t extent, std::int64_t of) {
    const double centre =
        (static_cast<double>(at) + 0.5) * static_cast<double>(extent) / static_cast<double>(of) -
        0.5;
    const double place = std::clamp(centre, 0.0, static_cast<double>(extent - 1));
    const auto first = static_cast<std::int64_t>(place);
    return {first, std::min(first + 1, extent - 1),
            static_cast<float>(place - static_cast<double>(first))};
}

// A row of the crop, interpolated between two rows of the image.
void blend_rows(const Bitmap& image, const Crop& crop, const Between& rows, std::span<float> row) {
    const auto start = [&](std::int64_t y) {
        return image.pixels.data() + ((crop.top + y) * image.width + crop.left) * image.channels;
    };
    const std::uint8_t* first = start(rows.first);
    const std::uint8_t* second = start(rows.second);
    for (std::size_t i = 0; i < row.size(); ++i) {
        const auto above = static_cast<float>(first[i]);
        row[i] = above + rows.weight * (static_cast<float>(second[i]) - above);
    }
}

}  // namespace

Crop random_crop(const Bitmap& image, const RandomStream& stream, std::uint64_t index) {
    const std::uint64_t first = draws_per_crop * index;
    const double area = static_cast<double>(image.width) * static_cast<double>(image.height);
    Crop crop = middle_crop(image);
    for (std::uint64_t attempt = 0; attempt < tries; ++attempt) {
        const auto draw = [&](std::uint64_t n) { return stream.uniform(first + 4 * attempt + n); };
        const double part = area * (smallest_area + (1 - smallest_area) * draw(0));
        const double aspect = std::pow(widest_aspect, 2 * draw(1) - 1);
        const auto width = static_cast<std::int64_t>(std::lround(std::sqrt(part * aspect)));
        const auto height = static_cast<std::int64_t>(std::lround(std::sqrt(part / aspect)));
        if (width < 1 || height < 1 || width > image.width || height > image.height) {
            continue;
        }
        const auto place = [&](std::int64_t room, std::uint64_t n) {
            return static_cast<std::int64_t>(draw(n) * static_cast<double>(room + 1));
        };
        crop = {.left = place(image.width - width, 2),
                .top = place(image.height - height, 3),
                .width = width,
                .height = height};
        break;
    }
    crop.is_flipped = stream.uniform(first + 4 * tries) < 0.5;
    return crop;
}

void resample(const Bitmap& image, const Crop& crop, const ImageShape& shape,
              std::vector<float>& scratch, std::span<float> values) {
    check(image.channels == shape.channels, "an image has the requested channels");
    const auto channels = static_cast<std::size_t>(shape.channels);
    const auto width = static_cast<std::size_t>(shape.width);
    const std::size_t plane = width * static_cast<std::size_t>(shape.height);
    scratch.resize(static_cast<std::size_t>(crop.width) * channels);
    std::vector<Between> columns(width);
    for (std::size_t x = 0; x < width; ++x) {
        const std::size_t to = crop.is_flipped ? width - 1 - x : x;
        columns[to] = between(static_cast<std::int64_t>(x), crop.width, shape.width);
    }
    for (std::size_t y = 0; y < static_cast<std::size_t>(shape.height); ++y) {
        blend_rows(image, crop, between(static_cast<std::int64_t>(y), crop.height, shape.height),
                   scratch);
        for (std::size_t c = 0; c < channels; ++c) {
            const Normal normal = channels == 1 ? of_grey : of_colours[c];
            const float scale = 1 / (255 * normal.deviation);
            const float offset = normal.mean / normal.deviation;
            float* row = &values[c * plane + y * width];
            for (std::size_t x = 0; x < width; ++x) {
                const Between& column = columns[x];
                const float left = scratch[static_cast<std::size_t>(column.first) * channels + c];
                const float right = scratch[static_cast<std::size_t>(column.second) * channels + c];
                row[x] = (left + column.weight * (right - left)) * scale - offset;
            }
        }
    }
}

}  // namespace strata
