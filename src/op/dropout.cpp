// SPDX-License-Identifier: MIT
#include "op/dropout.h"

#include "op/rules.h"

#include <fmt/format.h>

namespace strata {

std::vector<ParameterShape> Dropout::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Dropout::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 1);
    if (!(probability >= 0 && probability < 1)) {
        refuse(type, fmt::format("probability is {}; it must be at least 0 and less than 1",
                                 probability));
    }
    return {shaped(type, inputs[0].dims, inputs[0].dtype)};
}

// One multiply by 0 or 1 / (1 - probability) in either direction; drawing the mask is not counted.
Operations Dropout::operations(const Signature& signature, Pass pass) const {
    const Operations scaled = {.multiplies = count_of(signature.outputs[0])};
    return pick({.forward = scaled, .backward_data = scaled}, signature, pass);
}

// The mask: one byte per element.
BackwardReads Dropout::reads() const {
    return {.saved_bytes_per_output = 1};
}

}  // namespace strata
