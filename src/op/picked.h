// SPDX-License-Identifier: MIT
#pragma once

#include "op/op.h"

namespace strata {

// The operand that a forward pass reads only in part, the elements that it copies: the table of a
// look-up, the tensor of a slice. Nothing if every operand is read whole.
std::optional<std::size_t> picked_operand(const Op& op);

}  // namespace strata
