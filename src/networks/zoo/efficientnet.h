// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/chain.h"

namespace strata {

// Tan and Le 2019, 224 x 224: inverted residuals with excitation and SiLU, without the random depth
// of training, torchvision's sizes. 5,288,548 parameters.
Graph efficientnet_b0(std::int64_t batch);

}  // namespace strata
