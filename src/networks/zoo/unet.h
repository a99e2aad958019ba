// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/chain.h"

namespace strata {

// Ronneberger et al. 2015 as published: 572 x 572 of one channel, convolutions without padding,
// what passes by cropped, 388 x 388 of two classes with a loss for every pixel. The crop is a Pad
// of negative extents. 31,030,658 parameters, biases included (no normalisation).
Graph unet(std::int64_t batch);

}  // namespace strata
