// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/chain.h"

namespace strata {

// Ma et al. 2018, version 2, 1.0x, 224 x 224, torchvision's sizes. A unit's first half of the
// channels passes by; the channels of the two halves are then interleaved by a reshape, a transpose
// and a reshape. 2,278,604 parameters.
Graph shufflenet_v2(std::int64_t batch);

}  // namespace strata
