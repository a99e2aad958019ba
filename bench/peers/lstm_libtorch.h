// SPDX-License-Identifier: MIT
#pragma once

#include "bench/peers/networks_libtorch.h"

namespace strata {

// The zoo's lstm-ptb: 32 words of 10,000 at a time, two layers of 1,024 units, dropout of a half.
std::shared_ptr<PeerNetwork> lstm_ptb_peer();

}  // namespace strata
