// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/batch_last_kernels.h"
#include "backend/cpu/convolution/geometry.h"

#include <algorithm>
#include <vector>

// The elements that contribute to the results of a convolution along one axis.
namespace strata::cpu::batch_last {

constexpr Index index_of(std::size_t value) {
    return static_cast<Index>(value);
}

// A convolution along an axis.
struct Axis {
    Index extent = 0;
    Index results = 0;
    Index kernel = 1;
    Index stride = 1;
    Index dilation = 1;
    Index pad = 0;
};

Axis rows_of(const Geometry& g);
Axis columns_of(const Geometry& g);

// For results along one axis, first, first + step, ...: result i is a sum over taps t, which read
// element i * scale + offsets[t] of the source through the filter's row or column taps[t]. The
// offsets rise or fall.
struct AxisTaps {
    Index first = 0;
    Index step = 1;
    Index count = 0;
    Index scale = 1;
    std::vector<Index> taps = {};
    std::vector<Index> offsets = {};

    Index size() const { return static_cast<Index>(taps.size()); }
    Index min() const { return std::min(offsets.front(), offsets.back()); }
    Index span() const { return std::max(offsets.front(), offsets.back()) - min() + 1; }
};

// For the results; all of them see the same taps.
std::vector<AxisTaps> forward_taps(const Axis& axis);

// For the gradients of x. Elements first, first + stride, ... see the same taps: one entry for each
// first.
std::vector<AxisTaps> data_taps(const Axis& axis);

}  // namespace strata::cpu::batch_last
