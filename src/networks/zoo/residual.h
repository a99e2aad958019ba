// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/chain.h"

namespace strata {

enum class ResidualBlock { basic, bottleneck };

// Which convolution of a bottleneck block halves the plane: the first 1x1 (He et al. 2015, "v1") or
// the 3x3 in its middle (torchvision, "v1.5"). The parameters are the same, the work is not.
enum class StridePlacement { first_1x1, middle_3x3 };

// Whether a shortcut with agreeing shapes is the block's own input or a 1x1 convolution.
enum class Projection { where_needed, always };

// One residual block (He et al. 2015): the prefix of its layers' names, the channels of its inner
// convolutions and of its result, and its stride. A basic block is two 3x3 of `outer`.
struct ResidualUnit {
    std::string prefix;
    ResidualBlock block = ResidualBlock::bottleneck;
    std::int64_t inner = 0;
    std::int64_t outer = 0;
    std::int64_t stride = 1;
    std::int64_t groups = 1;  // of the 3x3 in the middle (Xie et al. 2016)
    StridePlacement placement = StridePlacement::middle_3x3;
    Projection projection = Projection::where_needed;
};

// Appends conv1 bn1 relu1 conv2 bn2 [relu2 conv3 bn3], downsample, add and the last ReLU.
void add_residual(Chain& chain, const ResidualUnit& unit);

}  // namespace strata
