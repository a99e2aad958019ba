// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/chain.h"

namespace strata {

// Szegedy et al. 2015 ("Rethinking"), Inception v3, 299 x 299, torchvision's layers and names,
// without the auxiliary head. 23,834,568 parameters (27,161,264 with the head).
Graph inception_v3(std::int64_t batch);

}  // namespace strata
