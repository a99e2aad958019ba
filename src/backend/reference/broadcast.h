// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"

#include <vector>

namespace strata {

// The positions of an operand's elements under NumPy's broadcasting to a result's shape: shapes are
// aligned at the last axis, and an axis of extent 1 is repeated.
class Broadcast {
public:
    Broadcast(const Dims& operand, const Dims& result);

    // The index of the operand's element that element `index` of the result reads, both row-major.
    std::size_t operator()(std::size_t index) const;

private:
    struct Axis {
        std::size_t extent = 1;  // of the result
        std::size_t step = 0;    // operand elements to its next index; 0 where it is broadcast
    };
    std::vector<Axis> axes_;  // innermost first
    bool identical_ = false;
};

}  // namespace strata
