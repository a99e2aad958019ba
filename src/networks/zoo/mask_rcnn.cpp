// SPDX-License-Identifier: MIT
#include "networks/zoo/as_published.h"

#include "networks/zoo/chain.h"
#include "networks/zoo/resnet.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

namespace strata {

namespace {

constexpr std::int64_t pyramid_channels = 256;

// Nearest-neighbour upsampling to the extents of a larger plane, rounding like PyTorch's
// interpolate.
Resize raised_to(const Dims& larger) {
    return {.sizes = {larger[2], larger[3]},
            .coordinates = Coordinates::asymmetric,
            .rounding = NearestRounding::down};
}

// A stage's plane with the pyramid's channels, plus the coarser plane.
TensorId add_lateral(Chain& chain, std::size_t level, TensorId stage,
                     std::optional<TensorId> coarser) {
    const std::string name = fmt::format("fpn.inner{}", level);
    const TensorId own = chain.resume(stage).add(name, convolution({pyramid_channels})).last();
    if (!coarser) {
        return own;
    }
    const Dims dims = chain.dims();
    chain.resume(*coarser).add(name + ".up", raised_to(dims));
    return chain.join(name + ".add", Elementwise{}, {own, chain.last()}).last();
}

}  // namespace

Graph mask_rcnn_backbone(std::int64_t batch) {
    Chain chain("mask-rcnn-backbone", {{batch, 3, 800, 1344}});
    add_resnet_stem(chain);
    std::vector<TensorId> stages;
    for (std::size_t stage = 0; stage < resnet_50.depths.size(); ++stage) {
        add_resnet_stage(chain, resnet_50, stage, stage == 0 ? 1 : 2);
        stages.push_back(chain.last());
    }
    std::optional<TensorId> sum;
    for (std::size_t level = stages.size(); level-- > 0;) {
        sum = add_lateral(chain, level + 1, stages[level], sum);
        chain.resume(*sum).add(fmt::format("fpn.layer{}", level + 1),
                               convolution({pyramid_channels, 3, 1, 1}));
        if (level + 1 == stages.size()) {
            chain.add("fpn.pool", max_pooling({.kernel = 1, .stride = 2}));
        }
    }
    return chain.finish();
}

}  // namespace strata
