// SPDX-License-Identifier: MIT
#pragma once

// cuDNN's functions for recurrent layers in the library's place, on host memory: its descriptors
// are the library's own, which checks them; where parameters lie is an order that nobody guesses;
// the mathematics are the reference's. They refuse what the documentation forbids.
namespace strata::testing {

// How many passes it has computed.
int scripted_passes();

// From now on every pass is refused, or none.
void refuse_recurrent_passes(bool refused);

}  // namespace strata::testing
