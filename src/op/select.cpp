// SPDX-License-Identifier: MIT
#include "op/select.h"

#include "op/rules.h"

#include <array>

namespace strata {

std::vector<ParameterShape> Select::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Select::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 3, 3);
    const Dims dims = broadcast(type, std::array{inputs[0].dims, inputs[1].dims, inputs[2].dims});
    return {shaped(type, dims, inputs[1].dtype)};
}

// One comparison per element in either direction; a broadcast operand sums its copies'
// gradients.
Operations Select::operations(const Signature& signature, Pass pass) const {
    const double elements = count_of(signature.outputs[0]);
    Operations backward = {.compares = elements};
    for (const Operand& operand : std::span(signature.inputs).subspan(1)) {
        backward.adds += elements - count_of(operand.tensor);
    }
    return pick({.forward = {.compares = elements},
                 .backward_data = backward,
                 .backward_weights = backward},
                signature, pass);
}

// Only the condition is read; counting all operands would be at most three times too much.
BackwardReads Select::reads() const {
    return {.input_for_data = true, .only_others_for_data = true};
}

SumShape Select::gradient_sum(const OperandValues& values, std::size_t operand) const {
    return {values.output_elements() / values.elements(operand), values.rms_gradient()};
}

}  // namespace strata
