// SPDX-License-Identifier: MIT
#include "backend/reference/operators.h"
#include "backend/reference/views.h"
#include "backend/semantics.h"
#include "base/error.h"

#include <algorithm>
#include <vector>

namespace strata {

// Operators that keep every element's value and position.

void reference_forward(const Reshape&, const ReferenceOperands& operands) {
    std::ranges::copy(operands.inputs[0], operands.outputs[0].begin());
}

void reference_backward(const Reshape&, const ReferenceOperands& operands) {
    std::ranges::copy(operands.output_gradients[0], operands.input_gradients[0].begin());
}

void reference_forward(const Identity&, const ReferenceOperands& operands) {
    std::ranges::copy(operands.inputs[0], operands.outputs[0].begin());
}

void reference_backward(const Identity&, const ReferenceOperands& operands) {
    std::ranges::copy(operands.output_gradients[0], operands.input_gradients[0].begin());
}

void reference_forward(const Opaque&, const ReferenceOperands&) {
    check(false, "an opaque layer is refused, not executed");
}

void reference_backward(const Opaque&, const ReferenceOperands&) {
    check(false, "an opaque layer is refused, not executed");
}

void reference_forward(const Cast& op, const ReferenceOperands& operands) {
    std::ranges::transform(operands.inputs[0], operands.outputs[0].begin(),
                           [&](float value) { return cast_value(value, op.dtype); });
}

// Only floating-point types pass a gradient, unchanged: rounding has no slope of its own.
void reference_backward(const Cast&, const ReferenceOperands& operands) {
    std::ranges::copy(operands.output_gradients[0], operands.input_gradients[0].begin());
}

void reference_forward(const Expand&, const ReferenceOperands& operands) {
    const Broadcast source(operands.input_dims(0), operands.output_dims(0));
    for (std::size_t i = 0; i < operands.outputs[0].size(); ++i) {
        operands.outputs[0][i] = operands.inputs[0][source(i)];
    }
}

void reference_backward(const Expand&, const ReferenceOperands& operands) {
    const Broadcast source(operands.input_dims(0), operands.output_dims(0));
    std::vector<double> sums(operands.input_gradients[0].size());
    for (std::size_t i = 0; i < operands.output_gradients[0].size(); ++i) {
        sums[source(i)] += operands.output_gradients[0][i];
    }
    std::ranges::transform(sums, operands.input_gradients[0].begin(),
                           [](double sum) { return static_cast<float>(sum); });
}

}  // namespace strata
