// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/chain.h"

namespace strata {

// Huang et al. 2016, growth 32, blocks of 6, 12, 24 and 16 layers, 224 x 224, torchvision's names.
// Every layer's new channels are concatenated to all before them. 7,978,856 parameters.
Graph densenet_121(std::int64_t batch);

}  // namespace strata
