// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"

#include <vector>

namespace strata {

// Where the elements of an operand lie that NumPy's rule stretches to the shape of a result: shapes
// are aligned at the last axis, and an extent of 1 stays at its one element.
class Broadcast {
public:
    Broadcast(const Dims& operand, const Dims& result);

    // The operand's element that element `index` of the result reads, both counted row-major.
    std::size_t operator()(std::size_t index) const;

private:
    struct Axis {
        std::size_t extent = 1;  // of the result
        std::size_t step = 0;  // elements of the operand to its next index; 0 where it is stretched
    };
    std::vector<Axis> axes_;  // innermost first
    bool identical_ = false;
};

}  // namespace strata
