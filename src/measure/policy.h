// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace strata {

// The content of the caches before a timed step: what its predecessor left, none of its data, or as
// much of its data as fits. Without time stamps, steps always follow each other directly.
enum class CacheState { as_left, cold, warm };
inline constexpr std::array<std::string_view, 3> names_of(CacheState) {
    return {"as-left", "cold", "warm"};
}

// How long and how carefully to measure. One meaning per field; passed whole.
struct Policy {
    std::size_t warmup = 3;        // minimum of whole iterations before the first sample
    Seconds min_time{0.5};         // sampling lasts at least this long
    Seconds max_time{20};          // limit of warm-up and sampling: unstable if still imprecise
    std::size_t min_samples = 10;  // of each quantity
    double precision = 0.01;       // target half-width of the median's 95 % interval, relative
    CacheState caches = CacheState::as_left;
};

}  // namespace strata
