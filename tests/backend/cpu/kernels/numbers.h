// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace strata::testing {

// The same numbers for the same seed, uniform in [low, high).
inline std::vector<float> drawn(std::int64_t count, float low, float high, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(low, high);
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) {
        value = uniform(random);
    }
    return values;
}

// An index into a vector.
inline std::size_t at(std::int64_t index) {
    return static_cast<std::size_t>(index);
}

}  // namespace strata::testing
