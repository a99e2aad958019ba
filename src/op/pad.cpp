// SPDX-License-Identifier: MIT
#include "op/pad.h"

#include "op/rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

void require_extents(const Pad& pad, const Tensor& input) {
    const std::size_t rank = input.dims.size();
    if (pad.begin.size() != rank || pad.end.size() != rank) {
        refuse(Pad::type,
               fmt::format("begin {} and end {} must have one extent for each axis of {}",
                           to_text(pad.begin), to_text(pad.end), to_text(input.dims)));
    }
    for (std::size_t i = 0; i < rank; ++i) {
        const auto [minimum, maximum] = std::minmax(pad.begin[i], pad.end[i]);
        // A reflection cannot be longer than the axis it reflects.
        const std::int64_t limit = pad.kind == PadKind::reflect ? input.dims[i] - 1 : max_attribute;
        if (minimum < -max_attribute || maximum > limit) {
            refuse(Pad::type,
                   fmt::format("begin {} and end {} are too large for {}", to_text(pad.begin),
                               to_text(pad.end), to_text(input.dims)));
        }
    }
}

}  // namespace

std::vector<ParameterShape> Pad::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Pad::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 1);
    require_extents(*this, inputs[0]);
    Dims dims = inputs[0].dims;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        dims[i] += begin[i] + end[i];
    }
    return {shaped(type, dims, inputs[0].dtype)};
}

// Reflected and repeated elements add their gradients to their sources, one add each.
Operations Pad::operations(const Signature& signature, Pass pass) const {
    const double added = count_of(signature.outputs[0]) - count_of(signature.inputs[0].tensor);
    const double folded = kind == PadKind::constant ? 0 : std::max(added, 0.0);
    return pick({.backward_data = {.adds = folded}}, signature, pass);
}

BackwardReads Pad::reads() const {
    return {};
}

}  // namespace strata
