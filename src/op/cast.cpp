// SPDX-License-Identifier: MIT
#include "op/cast.h"

#include "base/error.h"
#include "op/rules.h"

#include <fmt/format.h>

namespace strata {

std::vector<ParameterShape> Cast::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Cast::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 1);
    if (!is_computed(dtype)) {
        throw Error(fmt::format("{}: nothing computes with elements of {}; use another type", type,
                                name_of(dtype)));
    }
    return {shaped(type, inputs[0].dims, dtype)};
}

Operations Cast::operations(const Signature& signature, Pass pass) const {
    return pick({}, signature, pass);
}

BackwardReads Cast::reads() const {
    return {};
}

}  // namespace strata
