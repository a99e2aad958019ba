// SPDX-License-Identifier: MIT
#include "op/concat.h"

#include "op/rules.h"

#include <fmt/format.h>

namespace strata {

namespace {

// Whether two shapes differ at most along one axis.
bool fits(Dims a, const Dims& b, std::size_t axis) {
    if (a.size() == b.size()) {
        a[axis] = b[axis];
    }
    return a == b;
}

}  // namespace

std::vector<ParameterShape> Concat::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Concat::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, any_number);
    Dims dims = inputs[0].dims;
    const std::size_t along = axis_index(type, axis, dims.size());
    for (const Tensor& next : inputs.subspan(1)) {
        if (!fits(inputs[0].dims, next.dims, along)) {
            refuse(type,
                   fmt::format("{} and {} differ outside axis {}; all other extents must agree",
                               to_text(inputs[0].dims), to_text(next.dims), axis));
        }
        dims[along] += next.dims[along];
        product(dims);  // refuses before the sum can overflow
    }
    return {shaped(type, dims, inputs[0].dtype)};
}

Operations Concat::operations(const Signature& signature, Pass pass) const {
    return pick({}, signature, pass);
}

BackwardReads Concat::reads() const {
    return {};
}

}  // namespace strata
