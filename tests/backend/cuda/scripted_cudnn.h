// SPDX-License-Identifier: MIT
#pragma once

// Replaces cuDNN's functions for recurrent layers, on host memory. The descriptors are the
// library's own, which validates them; parameters have an order that nobody would guess; the
// mathematics is the reference's. The functions refuse what the documentation forbids.
namespace strata::testing {

// The number of passes computed so far.
int scripted_passes();

// From now on refuses every pass, or none.
void refuse_recurrent_passes(bool refused);

}  // namespace strata::testing
