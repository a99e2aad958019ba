// SPDX-License-Identifier: MIT
#pragma once

#include "op/op.h"

#include <vector>

namespace strata {

// Something that a pass reads or writes once: an operand, a result, a gradient, what the forward
// pass saved.
struct Moved {
    Bytes bytes;
    bool is_written = false;
};

// What a pass moves, in the order in which it reads and then writes; its sum is the traffic of
// work_of. Nothing if the operator moves nothing or lacks the pass.
std::vector<Moved> moved_by(const Op& op, const Signature& signature, Pass pass,
                            const UpdateCost& update = {});

}  // namespace strata
