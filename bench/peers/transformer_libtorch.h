// SPDX-License-Identifier: MIT
#pragma once

#include "bench/peers/networks_libtorch.h"

namespace strata {

// The zoo's transformer-base: six layers of encoder and decoder, tied embeddings, 128 tokens.
std::shared_ptr<PeerNetwork> transformer_base_peer();

}  // namespace strata
