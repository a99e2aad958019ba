// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"

namespace strata {

// How the values of a tensor are drawn for which the network carries none.
enum class Distribution { zero, one, normal, uniform, positive, classes };

struct Draw {
    Distribution distribution = Distribution::uniform;
    // Deviation of the normal, half-width of the uniform around 0; of the positive the middle of an
    // interval of width 1; number of classes.
    double extent = 1;

    bool operator==(const Draw&) const = default;
};

// Whether such a tensor is the operator's own: its parameters and running statistics.
constexpr bool is_owned(Role role) {
    return role == Role::parameter || role == Role::statistic;
}

// Normal with variance 2 / fan-in, the terms that one output is summed over (He et al. 2015).
Draw he_normal(std::int64_t fan_in);

}  // namespace strata
