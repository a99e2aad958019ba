// SPDX-License-Identifier: MIT
#include "backend/reference/operators.h"
#include "backend/reference/views.h"

#include <algorithm>
#include <vector>

namespace strata {

void reference_forward(const Select&, const ReferenceOperands& operands) {
    const Dims& result = operands.output_dims(0);
    const Broadcast condition(operands.input_dims(0), result), a(operands.input_dims(1), result),
        b(operands.input_dims(2), result);
    for (std::size_t i = 0; i < operands.outputs[0].size(); ++i) {
        operands.outputs[0][i] = operands.inputs[0][condition(i)] != 0 ? operands.inputs[1][a(i)]
                                                                       : operands.inputs[2][b(i)];
    }
}

// Each element's gradient goes to the operand that was selected, summed over its copies.
void reference_backward(const Select&, const ReferenceOperands& operands) {
    const Dims& result = operands.output_dims(0);
    const Broadcast condition(operands.input_dims(0), result);
    for (std::size_t operand = 1; operand < 3; ++operand) {
        if (!operands.wants_gradient(operand)) {
            continue;
        }
        const Broadcast place(operands.input_dims(operand), result);
        const std::span dx = operands.input_gradients[operand];
        std::vector<double> sums(dx.size());
        for (std::size_t i = 0; i < operands.output_gradients[0].size(); ++i) {
            const bool first = operands.inputs[0][condition(i)] != 0;
            sums[place(i)] += first == (operand == 1) ? operands.output_gradients[0][i] : 0;
        }
        std::ranges::transform(sums, dx.begin(),
                               [](double sum) { return static_cast<float>(sum); });
    }
    if (operands.wants_gradient(0)) {
        std::ranges::fill(operands.input_gradients[0], 0.0F);
    }
}

}  // namespace strata
