// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/axis.h"
#include "backend/reference/operators.h"

#include <algorithm>
#include <cmath>

namespace strata {

void reference_forward(const Hardmax& op, const ReferenceOperands& operands) {
    const AxisView view = around_axis(operands.input_dims(0), op.axis);
    const auto x = operands.inputs[0];
    const auto y = operands.outputs[0];
    parallel_for(view.outer * view.inner, static_cast<double>(view.extent), [&](std::size_t row) {
        const std::size_t before = row / view.inner, after = row % view.inner;
        std::size_t largest = 0;
        for (std::size_t i = 0; i < view.extent; ++i) {
            const float value = x[view.at(before, i, after)];
            const float best = x[view.at(before, largest, after)];
            if (value > best || (std::isnan(value) && !std::isnan(best))) {
                largest = i;
            }
        }
        for (std::size_t i = 0; i < view.extent; ++i) {
            y[view.at(before, i, after)] = i == largest ? 1.0F : 0.0F;
        }
    });
}

// A step function: its slope is 0 wherever it has one.
void reference_backward(const Hardmax&, const ReferenceOperands& operands) {
    std::ranges::fill(operands.input_gradients[0], 0.0F);
}

}  // namespace strata
