// SPDX-License-Identifier: MIT
#include "backend/reference/broadcast.h"
#include "backend/reference/operators.h"

#include <algorithm>
#include <vector>

namespace strata {

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
