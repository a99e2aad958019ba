// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

namespace strata {

// The place that an index held as a float means along an axis of `extent` elements: one below zero
// counts from the end. What lies outside, or is no number, is moved to the nearest place, so that
// values drawn or computed never read beyond a tensor. Requires: extent > 0.
inline std::int64_t place_of_index(float index, std::int64_t extent) {
    const auto room = static_cast<double>(extent);
    const double wanted = index < 0 ? static_cast<double>(index) + room : index;
    // Written so that NaN fails both comparisons.
    const double inside = wanted > 0 ? std::min(wanted, room - 1) : 0;
    return static_cast<std::int64_t>(inside);
}

}  // namespace strata
