// SPDX-License-Identifier: MIT
#include "op/top_k.h"

#include "op/rules.h"

#include <fmt/format.h>

namespace strata {

std::vector<ParameterShape> TopK::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> TopK::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 1);
    require_rank(type, inputs[0], 1);
    Dims dims = inputs[0].dims;
    std::int64_t& extent = dims[axis_index(type, axis, dims.size())];
    if (k < 1 || k > extent) {
        refuse(type, fmt::format("k is {}; axis {} has {} elements", k, axis, extent));
    }
    extent = k;
    return {shaped(type, dims, inputs[0].dtype), shaped(type, dims, DataType::s64)};
}

// Every element is compared at least once.
Operations TopK::operations(const Signature& signature, Pass pass) const {
    return pick({.forward = {.compares = count_of(signature.inputs[0].tensor)}}, signature, pass);
}

BackwardReads TopK::reads() const {
    return {.output_for_data = true};  // the positions
}

}  // namespace strata
