// SPDX-License-Identifier: MIT
#include "backend/inputs.h"
#include "backend/parallel.h"
#include "backend/reference/operators.h"

namespace strata {

namespace {

void scale_elements(const Dropout& op, const Execution& execution, std::span<const float> from,
                    std::span<float> to) {
    const auto seed = static_cast<std::uint64_t>(op.seed);
    const bool drops = execution.numerics.mode == Mode::training;
    parallel_for(to.size(), 4, [&](std::size_t i) {
        to[i] = drops ? from[i] * dropout_scale(seed, i, op.probability) : from[i];
    });
}

}  // namespace

void reference_forward(const Dropout& op, const ReferenceOperands& operands) {
    scale_elements(op, operands.execution, operands.inputs[0], operands.outputs[0]);
}

void reference_backward(const Dropout& op, const ReferenceOperands& operands) {
    scale_elements(op, operands.execution, operands.output_gradients[0],
                   operands.input_gradients[0]);
}

}  // namespace strata
