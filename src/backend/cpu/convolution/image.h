// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/method.h"

#include <algorithm>
#include <cstddef>

namespace strata::cpu {

// The layout of images[N, C, H, W] in any order: channels in blocks, `lane` floats apart within a
// block; rows and columns of a plane `row` and `column` floats apart.
struct ImageView {
    float* data = nullptr;
    std::size_t images = 0;
    std::size_t channels = 0;
    std::size_t height = 0;
    std::size_t width = 0;
    std::size_t block = 1;  // channels of a block; the last block may be padded
    std::ptrdiff_t image = 0;
    std::ptrdiff_t block_step = 0;
    std::ptrdiff_t lane = 0;
    std::ptrdiff_t row = 0;
    std::ptrdiff_t column = 0;

    float* plane(std::size_t n, std::size_t channel) const {
        return data + static_cast<std::ptrdiff_t>(n) * image +
               static_cast<std::ptrdiff_t>(channel / block) * block_step +
               static_cast<std::ptrdiff_t>(channel % block) * lane;
    }
    // Whether the elements of a plane are adjacent.
    bool is_plain() const { return column == 1; }
    // The number of channels best read or written together: those that share cache lines.
    std::size_t neighbours() const { return lane == 1 ? std::min<std::size_t>(block, 16) : 1; }
};

// `dims` as in a problem: [N, C, W] or [N, C, H, W].
ImageView image_view(float* data, const Dims& dims, ImageOrder order);

// Zeros the padding of each image's last block of channels, as the library expects. In parallel.
void clear_filling(const ImageView& view);

struct ChannelRange {
    std::size_t first = 0;
    std::size_t count = 0;
};
// Zeros channels of one image.
void clear_channels(const ImageView& view, std::size_t n, ChannelRange channels);

// Elements of a plane, counted row by row.
struct PointRange {
    std::size_t first = 0;
    std::size_t count = 0;
};
// What a convolution does with its sums when it writes them: sum + bias + addend, each if present,
// then max(0, ..) if `relu`.
struct Finish {
    const float* bias = nullptr;  // of the image's first channel
    float* addend = nullptr;      // an image with the layout of the result, or the result itself
    bool relu = false;

    bool is_needed() const { return bias != nullptr || addend != nullptr || relu; }
};

// A matrix [channels][points] of these of an image, rows `row` floats apart. The destination may be
// the image itself, if its elements already form the rows.
void copy_from_image(const ImageView& view, std::size_t n, ChannelRange channels, PointRange points,
                     float* matrix, std::size_t row);
void copy_to_image(const ImageView& view, std::size_t n, ChannelRange channels, PointRange points,
                   const float* matrix, std::size_t row, const Finish& finish = {});

}  // namespace strata::cpu
