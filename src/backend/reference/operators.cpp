// SPDX-License-Identifier: MIT
#include "backend/reference/operators.h"

#include "backend/reference/views.h"

namespace strata {

void compute_forward(const Op& op, const ReferenceOperands& operands) {
    std::visit([&](const auto& one) { reference_forward(one, operands); }, op);
}

void compute_backward(const Op& op, const ReferenceOperands& operands) {
    std::visit([&](const auto& one) { reference_backward(one, operands); }, op);
}

std::string reference_refusal(const Op& op, const Signature& signature) {
    if (const auto* opaque = std::get_if<Opaque>(&op)) {
        return opaque->reason;
    }
    const bool slides =
        std::holds_alternative<Convolution>(op) || std::holds_alternative<Pooling>(op);
    if (slides && !fits_spatial_window(signature.inputs[0].tensor.dims)) {
        return std::string(type_of(op)) + ": more than three spatial axes are not in reference";
    }
    return {};
}

}  // namespace strata
