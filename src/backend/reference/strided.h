// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"

#include <vector>

namespace strata {

// A strided view of a dense row-major tensor: the position of each element of a result, given by a
// first element and, for each axis of the result, a step that may be zero or negative.
class Strided {
public:
    // Requires: one step for each axis.
    Strided(const Dims& result, std::size_t first, const Dims& steps);

    std::size_t operator()(std::size_t index) const;

private:
    struct Axis {
        std::size_t extent = 1;
        std::int64_t step = 0;
    };
    std::vector<Axis> axes_;  // innermost first
    std::size_t first_ = 0;
};

// Elements between neighbours along each axis of a dense row-major tensor.
Dims row_major_steps(const Dims& dims);

}  // namespace strata
