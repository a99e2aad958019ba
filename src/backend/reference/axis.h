// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"

namespace strata {

// A tensor seen as outer x extent x inner elements around one of its axes.
struct AxisView {
    std::size_t outer = 1;
    std::size_t extent = 1;
    std::size_t inner = 1;

    std::size_t at(std::size_t before, std::size_t along, std::size_t after) const {
        return (before * extent + along) * inner + after;
    }
};

// A negative axis counts from the end. Requires: the tensor has the axis.
AxisView around_axis(const Dims& dims, std::int64_t axis);

}  // namespace strata
