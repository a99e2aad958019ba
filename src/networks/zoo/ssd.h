// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/chain.h"

namespace strata {

// SSD (Liu et al. 2016) over ResNet-34 as MLPerf training v0.5 to v0.7 has it: 300 x 300, the
// backbone to its third stage, which does not stride, five more pairs of convolutions, 8,732 boxes
// of 81 classes. The classes end in the loss, the boxes in an output whose gradient is given (the
// smooth L1 loss is no operator here). 19,972,534 parameters. MLPerf inference's 1200 x 1200 is
// another network.
Graph ssd_resnet_34(std::int64_t batch);

}  // namespace strata
