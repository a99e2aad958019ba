// SPDX-License-Identifier: MIT
#pragma once

#include "graph/zoo/chain.h"

namespace strata {

// The backbone of Mask R-CNN (He et al. 2017) as torchvision has it: ResNet-50 with a feature
// pyramid (Lin et al. 2017) over 800 x 1344, the 800 x 1333 of the publication filled up to
// multiples of 32. Five planes are outputs, whose gradients are given. 26,852,416 parameters, those
// of batch normalisation (which torchvision freezes) trained.
Graph mask_rcnn_backbone(std::int64_t batch);

}  // namespace strata
