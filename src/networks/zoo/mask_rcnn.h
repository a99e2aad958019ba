// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/chain.h"

namespace strata {

// The backbone of Mask R-CNN (He et al. 2017) as torchvision has it: ResNet-50 with a feature
// pyramid (Lin et al. 2017) over 800 x 1344, the 800 x 1333 of the publication filled up to
// multiples of 32. Four planes are outputs, whose gradients are given; the fifth is read by the
// pooling that makes the smallest of them. 26,852,416 parameters, those of batch normalisation
// (which torchvision freezes) trained.
Graph mask_rcnn_backbone(std::int64_t batch);

}  // namespace strata
