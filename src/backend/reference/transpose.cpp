// SPDX-License-Identifier: MIT
#include "backend/reference/operators.h"

#include <vector>

namespace strata {

namespace {

// For each axis of the result, innermost first: its extent, and its stride in the input.
struct Axis {
    std::size_t extent = 1;
    std::size_t step = 1;
};

std::vector<Axis> axes_of(const Transpose& op, const Dims& input) {
    std::vector<Axis> axes;
    for (auto permuted = op.permutation.rbegin(); permuted != op.permutation.rend(); ++permuted) {
        const auto axis = static_cast<std::size_t>(*permuted);
        const std::int64_t step = product(std::span(input).subspan(axis + 1));
        axes.push_back({static_cast<std::size_t>(input[axis]), static_cast<std::size_t>(step)});
    }
    return axes;
}

// The input element of the result's element `index`.
std::size_t source(std::span<const Axis> axes, std::size_t index) {
    std::size_t offset = 0;
    for (const Axis& axis : axes) {
        offset += index % axis.extent * axis.step;
        index /= axis.extent;
    }
    return offset;
}

}  // namespace

void reference_forward(const Transpose& op, const ReferenceOperands& operands) {
    const auto axes = axes_of(op, operands.input_dims(0));
    for (std::size_t i = 0; i < operands.outputs[0].size(); ++i) {
        operands.outputs[0][i] = operands.inputs[0][source(axes, i)];
    }
}

void reference_backward(const Transpose& op, const ReferenceOperands& operands) {
    const auto axes = axes_of(op, operands.input_dims(0));
    for (std::size_t i = 0; i < operands.output_gradients[0].size(); ++i) {
        operands.input_gradients[0][source(axes, i)] = operands.output_gradients[0][i];
    }
}

}  // namespace strata
