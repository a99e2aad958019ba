// SPDX-License-Identifier: MIT
#include "graph/zoo/resnet.h"

#include <fmt/format.h>

namespace strata {

namespace {

// One residual block: its name in front of its layers' names, its width and how it strides.
struct Block {
    std::string prefix;
    std::int64_t width;
    std::int64_t stride;
};

// Convolution and batch normalisation number `index` of a block.
void add_pair(Chain& chain, const Block& block, int index, SquareConvolution window) {
    window.bias = false;
    chain.add(fmt::format("{}conv{}", block.prefix, index), convolution(window));
    chain.add(fmt::format("{}bn{}", block.prefix, index), BatchNormalization{});
}

// The shortcut: the block's own input where the shapes agree, else a strided 1x1 projection.
TensorId shortcut(Chain& chain, const Block& block, TensorId from, std::int64_t channels) {
    chain.resume(from);
    if (block.stride != 1 || chain.channels() != channels) {
        chain.add(block.prefix + "downsample.0",
                  convolution({.channels = channels, .stride = block.stride, .bias = false}));
        chain.add(block.prefix + "downsample.1", BatchNormalization{});
    }
    return chain.last();
}

void add_sum(Chain& chain, const Block& block, TensorId from, int last_relu) {
    const TensorId main = chain.last();
    const TensorId side = shortcut(chain, block, from, chain.channels());
    chain.join(block.prefix + "add", Elementwise{}, {main, side});
    chain.relu(fmt::format("{}relu{}", block.prefix, last_relu));
}

void add_basic(Chain& chain, const Block& block) {
    const TensorId from = chain.last();
    add_pair(chain, block, 1, {block.width, 3, block.stride, 1});
    chain.relu(block.prefix + "relu1");
    add_pair(chain, block, 2, {block.width, 3, 1, 1});
    add_sum(chain, block, from, 2);
}

void add_bottleneck(Chain& chain, const Block& block, StridePlacement placement) {
    const TensorId from = chain.last();
    const bool first = placement == StridePlacement::first_1x1;
    add_pair(chain, block, 1, {block.width, 1, first ? block.stride : 1});
    chain.relu(block.prefix + "relu1");
    add_pair(chain, block, 2, {block.width, 3, first ? 1 : block.stride, 1});
    chain.relu(block.prefix + "relu2");
    add_pair(chain, block, 3, {4 * block.width});
    add_sum(chain, block, from, 3);
}

void add_stage(Chain& chain, const ResNet& variant, std::size_t stage) {
    for (int i = 0; i < variant.depths[stage]; ++i) {
        const Block block = {fmt::format("layer{}.{}.", stage + 1, i), std::int64_t{64} << stage,
                             i == 0 && stage > 0 ? 2 : 1};
        if (variant.block == ResidualBlock::basic) {
            add_basic(chain, block);
        } else {
            add_bottleneck(chain, block, variant.stride);
        }
    }
}

}  // namespace

Graph build(const ResNet& variant, std::int64_t batch) {
    Chain chain(variant.name, batch, 224);
    add_pair(chain, {"", 64, 2}, 1, {64, 7, 2, 3});
    chain.relu("relu").add("maxpool", max_pooling({.kernel = 3, .stride = 2, .pad = 1}));
    for (std::size_t stage = 0; stage < variant.depths.size(); ++stage) {
        add_stage(chain, variant, stage);
    }
    chain.add("avgpool", global_average_pooling());
    return chain.add("fc", FullyConnected{1000}).with_loss();
}

}  // namespace strata
