// SPDX-License-Identifier: MIT
#pragma once

#include "op/op.h"

namespace strata {

// Equation 6 of Dong et al. 2018 taken literally: every output sums all exponentials again, N^2
// operations for a row of N. For Convention::special.
bool naive_softmax(const Op& op, const Signature& signature, Pass pass, Flops& flops);

}  // namespace strata
