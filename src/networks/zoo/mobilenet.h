// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/chain.h"

namespace strata {

// Howard et al. 2017: depthwise separable convolutions, ReLU. 4,231,976 parameters.
Graph mobilenet_v1(std::int64_t batch);

// Sandler et al. 2018: inverted residuals with linear bottlenecks, ReLU6, torchvision's sizes.
// 3,504,872 parameters.
Graph mobilenet_v2(std::int64_t batch);

}  // namespace strata
