// SPDX-License-Identifier: MIT
#pragma once

#include "backend/reference/operands.h"

#include <string>

namespace strata {

// One pass of any operator: dispatches to the explicit list in operators.h. backward_data and
// backward_weights differ only in which input gradients have room. (These are not overloads of the
// same name: an operator would convert to the variant, and a missing overload would call itself.)
void compute_forward(const Op& op, const ReferenceOperands& operands);
void compute_backward(const Op& op, const ReferenceOperands& operands);

// Why the reference has no loops for a layer; empty if it has.
std::string reference_refusal(const Op& op, const Signature& signature);

}  // namespace strata
