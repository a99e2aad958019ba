// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/divisor.h"

#include <cstdint>

namespace strata::cuda {

// An element of a tensor of images: where its plane begins, how far apart its positions are, and
// which position it is.
struct Element {
    std::int64_t plane;
    std::int64_t stride;
    std::int64_t at[3];
};

// Takes the number of an element in memory apart.
struct Locator {
    Divisor channels;
    Divisor positions;
    Divisor height;
    Divisor width;
    bool is_last;

    __host__ __device__ Element operator()(std::int64_t i) const {
        std::int64_t position;
        Element element;
        if (is_last) {
            const std::int64_t pixel = channels.quotient(i);
            const std::int64_t image = positions.quotient(pixel);
            position = pixel - image * positions.value();
            element.plane =
                image * positions.value() * channels.value() + (i - pixel * channels.value());
            element.stride = channels.value();
        } else {
            const std::int64_t plane = positions.quotient(i);
            position = i - plane * positions.value();
            element.plane = plane * positions.value();
            element.stride = 1;
        }
        const std::int64_t row = width.quotient(position);
        element.at[2] = position - row * width.value();
        element.at[0] = height.quotient(row);
        element.at[1] = row - element.at[0] * height.value();
        return element;
    }
};

// Where the same plane begins in the tensor on the window's other side.
__host__ __device__ inline std::int64_t other_plane(const Element& element, std::int64_t own,
                                                    std::int64_t other, bool is_last,
                                                    std::int64_t channels) {
    if (!is_last) {
        return element.plane / own * other;
    }
    const std::int64_t image = element.plane / (own * channels);
    return image * other * channels + element.plane - image * own * channels;
}

}  // namespace strata::cuda
