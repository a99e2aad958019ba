// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace strata {

// What the caches hold before a step whose time is taken: what its predecessor left, nothing of its
// own, or all that fits of its own. Without time stamps steps always follow each other as they are.
enum class CacheState { as_left, cold, warm };
inline constexpr std::array<std::string_view, 3> names_of(CacheState) {
    return {"as-left", "cold", "warm"};
}

// How long and how carefully to measure. One meaning per field; passed whole.
struct Policy {
    std::size_t warmup = 3;        // whole iterations before the first sample, at least
    Seconds min_time{0.5};         // sampling continues at least so long
    Seconds max_time{20};          // warm-up and sampling stop then: unstable if still imprecise
    std::size_t min_samples = 10;  // of each quantity
    double precision = 0.01;       // wanted half-width of the median's 95 % interval, relative
    CacheState caches = CacheState::as_left;
};

}  // namespace strata
