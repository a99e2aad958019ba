// SPDX-License-Identifier: MIT
#include "op/cast.h"

#include "op/rules.h"

namespace strata {

std::vector<ParameterShape> Cast::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Cast::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 1);
    return {shaped(type, inputs[0].dims, dtype)};
}

Operations Cast::operations(const Signature& signature, Pass pass) const {
    return pick({}, signature, pass);
}

BackwardReads Cast::reads() const {
    return {};
}

}  // namespace strata
