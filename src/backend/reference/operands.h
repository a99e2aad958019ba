// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "op/op.h"

#include <span>
#include <vector>

namespace strata {

// All data that one pass of one layer uses, as dense row-major host values in the operator's order
// of operands. A view: the memory belongs to whoever makes it.
struct ReferenceOperands {
    const Signature& signature;
    const Execution& execution;
    std::vector<std::span<const float>> inputs;  // values
    std::vector<std::span<float>> outputs;       // values, written by forward; backward passes
                                                 // recompute what they need from the inputs
    std::vector<std::span<const float>> output_gradients;  // read by backward passes
    std::vector<std::span<float>> input_gradients;         // overwritten; empty if not wanted
    std::vector<std::span<float>> statistics;  // new running statistics, by input; empty if
                                               // not wanted; may be the input itself

    const Dims& input_dims(std::size_t operand) const {
        return signature.inputs[operand].tensor.dims;
    }
    const Dims& output_dims(std::size_t result) const { return signature.outputs[result].dims; }
    bool wants_gradient(std::size_t operand) const {
        return operand < input_gradients.size() && !input_gradients[operand].empty();
    }
};

}  // namespace strata
