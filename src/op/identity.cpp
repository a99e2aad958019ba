// SPDX-License-Identifier: MIT
#include "op/identity.h"

#include "op/rules.h"

namespace strata {

std::vector<ParameterShape> Identity::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Identity::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 1);
    return {shaped(type, inputs[0].dims, inputs[0].dtype)};
}

Operations Identity::operations(const Signature& signature, Pass pass) const {
    return pick({}, signature, pass);
}

BackwardReads Identity::reads() const {
    return {};
}

}  // namespace strata
