// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/chain.h"

namespace strata {

// Minigo as MLPerf has it, after Silver et al. 2017 (AlphaGo Zero): 19 x 19, 17 planes, 19 residual
// blocks of 256 channels, a policy of 362 moves, which ends in the loss, and a value, an output
// whose gradient is given. 22,827,877 parameters.
Graph minigo(std::int64_t batch);

}  // namespace strata
