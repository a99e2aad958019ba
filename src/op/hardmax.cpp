// SPDX-License-Identifier: MIT
#include "op/hardmax.h"

#include "op/rules.h"

namespace strata {

std::vector<ParameterShape> Hardmax::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Hardmax::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 1);
    axis_index(type, axis, inputs[0].dims.size());
    return {shaped(type, inputs[0].dims, inputs[0].dtype)};
}

Operations Hardmax::operations(const Signature& signature, Pass pass) const {
    return pick({.forward = {.compares = count_of(signature.outputs[0])}}, signature, pass);
}

BackwardReads Hardmax::reads() const {
    return {};
}

}  // namespace strata
