// SPDX-License-Identifier: MIT
#include "networks/zoo/resnet.h"

#include <fmt/format.h>

namespace strata {

void add_resnet_stem(Chain& chain) {
    chain.add("conv1", convolution({64, 7, 2, 3, 1, false})).add("bn1", BatchNormalization{});
    chain.relu("relu").add("maxpool", max_pooling({.kernel = 3, .stride = 2, .pad = 1}));
}

void add_resnet_stage(Chain& chain, const ResNet& variant, std::size_t stage, std::int64_t stride) {
    const std::int64_t width = std::int64_t{64} << stage;
    const bool basic = variant.block == ResidualBlock::basic;
    for (int i = 0; i < variant.depths[stage]; ++i) {
        add_residual(chain, {.prefix = fmt::format("layer{}.{}.", stage + 1, i),
                             .block = variant.block,
                             .inner = width * variant.groups * variant.group_width / 64,
                             .outer = basic ? width : 4 * width,
                             .stride = i == 0 ? stride : 1,
                             .groups = variant.groups,
                             .placement = variant.stride});
    }
}

Graph build(const ResNet& variant, std::int64_t batch) {
    Chain chain(variant.name, batch, 224);
    add_resnet_stem(chain);
    for (std::size_t stage = 0; stage < variant.depths.size(); ++stage) {
        add_resnet_stage(chain, variant, stage, stage == 0 ? 1 : 2);
    }
    chain.add("avgpool", global_average_pooling());
    return chain.add("fc", FullyConnected{1000}).with_loss();
}

}  // namespace strata
