// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// The bytes of one pass: every operand that it must read, once, and every result, once. What a
// backward pass must read beside the gradient of the output is what the operator's `reads()` says,
// and the `saved` bytes that the forward pass left behind.
struct Traffic {
    Bytes read;
    Bytes written;
};

Traffic traffic_of(const BackwardReads& reads, const Signature& signature, Pass pass,
                   Bytes saved = {});

}  // namespace strata
