// SPDX-License-Identifier: MIT
#include "backend/reference/operators.h"
#include "backend/reference/views.h"

#include <algorithm>

namespace strata {

namespace {

Strided view_of(const Slice& op, const ReferenceOperands& operands) {
    const Dims& input = operands.input_dims(0);
    Dims steps = row_major_steps(input);
    std::int64_t first = 0;
    for (std::size_t i = 0; i < op.axes.size(); ++i) {
        const std::int64_t rank = static_cast<std::int64_t>(input.size());
        const auto axis = static_cast<std::size_t>(op.axes[i] < 0 ? op.axes[i] + rank : op.axes[i]);
        first += op.starts[i] * steps[axis];
        steps[axis] *= op.steps.empty() ? 1 : op.steps[i];
    }
    return {operands.output_dims(0), static_cast<std::size_t>(first), steps};
}

}  // namespace

void reference_forward(const Slice& op, const ReferenceOperands& operands) {
    const Strided source = view_of(op, operands);
    for (std::size_t i = 0; i < operands.outputs[0].size(); ++i) {
        operands.outputs[0][i] = operands.inputs[0][source(i)];
    }
}

void reference_backward(const Slice& op, const ReferenceOperands& operands) {
    const Strided source = view_of(op, operands);
    std::ranges::fill(operands.input_gradients[0], 0.0F);
    for (std::size_t i = 0; i < operands.output_gradients[0].size(); ++i) {
        operands.input_gradients[0][source(i)] = operands.output_gradients[0][i];
    }
}

}  // namespace strata
