// SPDX-License-Identifier: MIT
#include "op/transpose.h"

#include "op/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace strata {

std::vector<ParameterShape> Transpose::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Transpose::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 1);
    const Dims& extents = inputs[0].dims;
    Dims axes(extents.size());
    std::iota(axes.begin(), axes.end(), std::int64_t{0});
    if (!std::ranges::is_permutation(axes, permutation)) {
        refuse(type, fmt::format("{} is not a permutation of the {} axes of {}",
                                 to_text(permutation), extents.size(), to_text(extents)));
    }
    Dims dims;
    for (const std::int64_t axis : permutation) {
        dims.push_back(extents[static_cast<std::size_t>(axis)]);
    }
    return {shaped(type, dims, inputs[0].dtype)};
}

Operations Transpose::operations(const Signature& signature, Pass pass) const {
    return pick({}, signature, pass);
}

BackwardReads Transpose::reads() const {
    return {};
}

}  // namespace strata
