// SPDX-License-Identifier: MIT
#include "op/expand.h"

#include "op/rules.h"

#include <fmt/format.h>

#include <array>

namespace strata {

std::vector<ParameterShape> Expand::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Expand::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 1);
    if (broadcast(type, std::array{inputs[0].dims, dims}) != dims) {
        refuse(type,
               fmt::format("{} cannot be repeated to {}", to_text(inputs[0].dims), to_text(dims)));
    }
    return {shaped(type, dims, inputs[0].dtype)};
}

// Forward is a copy; backward adds up the copies' gradients.
Operations Expand::operations(const Signature& signature, Pass pass) const {
    const double sums = count_of(signature.outputs[0]) - count_of(signature.inputs[0].tensor);
    return pick({.backward_data = {.adds = sums}, .backward_weights = {.adds = sums}}, signature,
                pass);
}

BackwardReads Expand::reads() const {
    return {};
}

SumShape Expand::gradient_sum(const OperandValues& values, std::size_t operand) const {
    return {values.output_elements() / values.elements(operand), values.rms_gradient()};
}

}  // namespace strata
