// SPDX-License-Identifier: MIT
#pragma once

#include "op/resize.h"

#include <vector>

namespace strata {

// One input position that takes part in an output position, and its share.
struct InterpolationTap {
    std::int64_t position = 0;
    double weight = 1;

    bool operator==(const InterpolationTap&) const = default;
};

// What the positions of one axis are made of: `each` taps for every output position, in order, with
// positions beyond the edges moved to them. A resize is the product of its axes.
struct InterpolationAxis {
    std::int64_t input = 1;
    std::int64_t output = 1;
    std::size_t each = 1;
    std::vector<InterpolationTap> taps;
};

// The spatial axes of a layer over this input.
std::vector<InterpolationAxis> interpolation_axes(const Resize& op, const Tensor& input);

}  // namespace strata
