// SPDX-License-Identifier: MIT
#pragma once

#include "op/op.h"

namespace strata {

// The operand of which a forward pass reads only the elements that it copies: a table of which rows
// are looked up, a tensor of which a part is taken. Nothing where every operand is read whole.
std::optional<std::size_t> picked_operand(const Op& op);

}  // namespace strata
