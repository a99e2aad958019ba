// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/chain.h"

namespace strata {

// Howard et al. 2019, 224 x 224: inverted residuals, some with excitation, ReLU or hard swish,
// torchvision's sizes. 5,483,032 and 2,542,856 parameters.
Graph mobilenet_v3_large(std::int64_t batch);
Graph mobilenet_v3_small(std::int64_t batch);

}  // namespace strata
