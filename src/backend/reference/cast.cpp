// SPDX-License-Identifier: MIT
#include "backend/cast_value.h"
#include "backend/reference/operators.h"

#include <algorithm>

namespace strata {

void reference_forward(const Cast& op, const ReferenceOperands& operands) {
    std::ranges::transform(operands.inputs[0], operands.outputs[0].begin(),
                           [&](float value) { return cast_value(value, op.dtype); });
}

// Only floating-point types pass a gradient, unchanged: rounding has no slope of its own.
void reference_backward(const Cast&, const ReferenceOperands& operands) {
    std::ranges::copy(operands.output_gradients[0], operands.input_gradients[0].begin());
}

}  // namespace strata
