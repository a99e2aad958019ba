// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "backend/reference/operands.h"

#include <vector>

namespace strata {

// Host copies of what one pass of one layer touches, in the operator's order of operands: what the
// reference computes from and into.
struct LayerValues {
    std::vector<HostValues> inputs;
    std::vector<HostValues> outputs;
    std::vector<HostValues> output_gradients;
    std::vector<HostValues> input_gradients;  // empty where none is wanted
    std::vector<HostValues> statistics;       // empty where there is no running statistic

    ReferenceOperands view(const Signature& signature, const Execution& execution);
};

// What a forward pass is about to read, with room for what it writes.
LayerValues read_for_forward(const Graph& graph, const Execution& execution, const Layer& layer,
                             const Executable& executable);

// What a backward pass is about to read, with room for the gradients of the operands that are
// wanted.
LayerValues read_for_backward(const Schedule& schedule, const Layer& layer,
                              const std::vector<bool>& wanted, const Executable& executable);

}  // namespace strata
