// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace strata::cpu {

// One axis of windows.
struct MaximumAxis {
    std::int64_t input = 1;
    std::int64_t output = 1;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t pad = 0;

    std::int64_t position(std::int64_t out, std::int64_t tap) const {
        return out * stride - pad + tap * dilation;
    }
    bool is_inside(std::int64_t at) const { return at >= 0 && at < input; }
};

// Maximum pooling of images [channel][row][column][image], whose batch is the fastest dimension.
struct MaximumWindows {
    std::int64_t channels = 1;
    std::int64_t images = 1;
    MaximumAxis rows;
    MaximumAxis columns;
};

// y = the largest element of each window, or the lowest number for a window outside the image. Also
// the position of the first largest in its window, row by row, unless `places` is null; -1 if there
// is none. Runs on OpenMP's threads.
void maxima(const MaximumWindows& windows, const float* x, float* y, std::int32_t* places);

// dx = the sums of dy over the windows in which an element is the largest; `dx` is overwritten.
void maxima_gradient(const MaximumWindows& windows, const float* dy, const std::int32_t* places,
                     float* dx);

}  // namespace strata::cpu
