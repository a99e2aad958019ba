// SPDX-License-Identifier: MIT
#pragma once

#include "op/op.h"

namespace strata {

// What the forward pass of a training step leaves behind for the backward passes, beside the
// tensors themselves: of most operators what their `reads()` says of each output, of an attention
// the logarithm of each row's sum of exponentials, from which its probabilities follow (Dao et al.
// 2022).
Bytes saved_bytes_of(const Op& op, const Signature& signature);

}  // namespace strata
