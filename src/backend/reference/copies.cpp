// SPDX-License-Identifier: MIT
#include "backend/reference/operators.h"

#include "base/error.h"

#include <algorithm>

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

}  // namespace strata
