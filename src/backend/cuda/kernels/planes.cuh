// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/divisor.h"

#include <cstdint>

namespace strata::cuda {

// An element of a tensor of images: its plane, by index, or by image and channel if channels are
// innermost; the distance between the plane's positions; and its position.
struct Element {
    std::int64_t plane;
    std::int64_t channel;
    std::int64_t stride;
    std::int64_t at[3];

    // The beginning of its plane in a tensor with this number of positions per plane.
    __device__ std::int64_t begin(std::int64_t positions) const {
        return plane * positions * stride + channel;
    }
};

// Splits an element's index in memory into plane and position.
struct Locator {
    Divisor channels;
    Divisor positions;
    Divisor height;
    Divisor width;
    bool is_last;

    __device__ Element operator()(std::int64_t i) const {
        Element element = {0, 0, 1, {}};
        std::int64_t pixel = i;
        if (is_last) {
            pixel = channels.quotient(i);
            element.channel = i - pixel * channels.value();
            element.stride = channels.value();
        }
        element.plane = positions.quotient(pixel);
        const std::int64_t position = pixel - element.plane * positions.value();
        const std::int64_t row = width.quotient(position);
        element.at[2] = position - row * width.value();
        element.at[0] = height.quotient(row);
        element.at[1] = row - element.at[0] * height.value();
        return element;
    }
};

}  // namespace strata::cuda
