// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

namespace strata {

// The position that an index, held as a float, means along an axis of `extent` elements; a negative
// index counts from the end. An index out of range or NaN is clamped to the nearest position, so
// that drawn or computed indices never read out of bounds. Requires: extent > 0.
inline std::int64_t place_of_index(float index, std::int64_t extent) {
    const auto room = static_cast<double>(extent);
    const double wanted = index < 0 ? static_cast<double>(index) + room : index;
    // Written so that NaN fails both comparisons.
    const double inside = wanted > 0 ? std::min(wanted, room - 1) : 0;
    return static_cast<std::int64_t>(inside);
}

}  // namespace strata
