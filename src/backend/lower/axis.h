// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace strata {

// The axis of a tensor with this many; a negative one counts from the end.
inline std::size_t axis_among(std::int64_t axis, std::size_t rank) {
    return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

// A tensor seen as outer x extent x inner elements around one of its axes.
struct AxisExtents {
    std::int64_t outer = 1;
    std::int64_t extent = 1;
    std::int64_t inner = 1;
};

inline AxisExtents extents_around(std::int64_t axis, const Dims& dims) {
    const std::size_t at = axis_among(axis, dims.size());
    const std::span extents(dims);
    return {product(extents.first(at)), extents[at], product(extents.subspan(at + 1))};
}

}  // namespace strata
