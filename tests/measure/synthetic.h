// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "base/random.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace strata::testing {

// Series with known properties, around one millisecond; the same on every machine.
class Synthetic {
public:
    explicit Synthetic(std::uint64_t seed) : random_(seed, 0) {}

    double uniform() { return random_.uniform(next_++); }

    // Box-Muller: a normal number with its full tails.
    double normal() {
        const double radius = std::sqrt(-2 * std::log(1 - uniform()));
        return radius * std::cos(2 * 3.14159265358979323846 * uniform());
    }

    // Independent, normal, 2 % wide.
    std::vector<Seconds> independent(std::size_t n) {
        return make(n, [&](std::size_t) { return 1 + 0.02 * normal(); });
    }

    // Realistic times: a minimum, and delays with a heavy (log-normal) tail above it. The median is
    // 1.01 milliseconds.
    std::vector<Seconds> heavy_tailed(std::size_t n) {
        return make(n, [&](std::size_t) { return 1 + 0.01 * std::exp(1.5 * normal()); });
    }

    // Each sample keeps a fraction `memory` of its predecessor's deviation.
    std::vector<Seconds> autoregressive(std::size_t n, double memory) {
        double state = normal();
        return make(n, [&](std::size_t) {
            state = memory * state + std::sqrt(1 - memory * memory) * normal();
            return 1 + 0.02 * state;
        });
    }

    // Independent noise 1 % wide on a line that rises by `change` over the series.
    std::vector<Seconds> drifting(std::size_t n, double change) {
        return make(n, [&](std::size_t i) {
            return 1 + change * static_cast<double>(i) / static_cast<double>(n) + 0.01 * normal();
        });
    }

    // Two modes, each 1 % wide; the slower has `share` of the samples and is `apart` higher.
    std::vector<Seconds> two_modes(std::size_t n, double share, double apart) {
        return make(
            n, [&](std::size_t) { return 1 + (uniform() < share ? apart : 0) + 0.01 * normal(); });
    }

private:
    std::vector<Seconds> make(std::size_t n,
                              const std::function<double(std::size_t)>& milliseconds) {
        std::vector<Seconds> values;
        for (std::size_t i = 0; i < n; ++i) {
            values.push_back({1e-3 * milliseconds(i)});
        }
        return values;
    }

    RandomStream random_;
    std::uint64_t next_ = 0;
};

// The share of `repetitions` seeds for which something holds.
inline double share_of_seeds(std::uint64_t repetitions,
                             const std::function<bool(Synthetic&)>& holds) {
    std::uint64_t count = 0;
    for (std::uint64_t seed = 1; seed <= repetitions; ++seed) {
        Synthetic synthetic(seed);
        count += holds(synthetic) ? 1u : 0u;
    }
    return static_cast<double>(count) / static_cast<double>(repetitions);
}

}  // namespace strata::testing
