// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "verify/rounding.h"

namespace strata {

// How one tensor compares with the reference's.
struct TensorError {
    double error = 0;
    double tolerance = 0;

    bool agrees() const { return error <= tolerance; }
};

// What the reference says of a tensor, and how precisely others must say the same.
struct Expected {
    HostValues values;
    double typical = 0;    // size of the sums that the values are, SumShape::typical
    double tolerance = 0;  // relative to the larger of that and the largest value

    TensorError compare(std::span<const float> ours) const;

    // Adds what another layer contributes; the errors add up, too.
    void add(const Expected& contribution);
};

}  // namespace strata
