// SPDX-License-Identifier: MIT
#pragma once

#include "op/op.h"

namespace strata {

// The multiply-adds of convolutions and matrix products, as two each, those inside recurrent cells
// and attention among them; nothing of all else. For Convention::special, which it decides always.
bool products_only(const Op& op, const Signature& signature, Pass pass, Flops& flops);

}  // namespace strata
