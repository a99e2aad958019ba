// SPDX-License-Identifier: MIT
#include "networks/zoo/resnet.h"

#include "networks/zoo/as_published.h"
#include "networks/zoo/blocks.h"

#include <fmt/format.h>

namespace strata {

namespace {

// Convolution and batch normalisation number `index` of a block.
void add_pair(Chain& chain, const ResidualUnit& unit, int index, SquareConvolution window) {
    window.bias = false;
    chain.add(fmt::format("{}conv{}", unit.prefix, index), convolution(window));
    chain.add(fmt::format("{}bn{}", unit.prefix, index), BatchNormalization{});
}

// The shortcut: the block's own input if the shapes agree, otherwise a strided 1x1 projection.
TensorId shortcut(Chain& chain, const ResidualUnit& unit, TensorId from) {
    chain.resume(from);
    if (unit.projection == Projection::always || unit.stride != 1 ||
        chain.channels() != unit.outer) {
        chain.add(unit.prefix + "downsample.0",
                  convolution({.channels = unit.outer, .stride = unit.stride, .bias = false}));
        chain.add(unit.prefix + "downsample.1", BatchNormalization{});
    }
    return chain.last();
}

void add_sum(Chain& chain, const ResidualUnit& unit, TensorId from, int last_relu) {
    const TensorId main = chain.last();
    const TensorId side = shortcut(chain, unit, from);
    chain.join(unit.prefix + "add", Elementwise{}, {main, side});
    chain.relu(fmt::format("{}relu{}", unit.prefix, last_relu));
}

void add_basic(Chain& chain, const ResidualUnit& unit) {
    const TensorId from = chain.last();
    add_pair(chain, unit, 1, {unit.outer, 3, unit.stride, 1});
    chain.relu(unit.prefix + "relu1");
    add_pair(chain, unit, 2, {unit.outer, 3, 1, 1});
    add_sum(chain, unit, from, 2);
}

void add_bottleneck(Chain& chain, const ResidualUnit& unit) {
    const TensorId from = chain.last();
    const bool first = unit.placement == StridePlacement::first_1x1;
    add_pair(chain, unit, 1, {unit.inner, 1, first ? unit.stride : 1});
    chain.relu(unit.prefix + "relu1");
    add_pair(chain, unit, 2, {unit.inner, 3, first ? 1 : unit.stride, 1, unit.groups});
    chain.relu(unit.prefix + "relu2");
    add_pair(chain, unit, 3, {unit.outer});
    add_sum(chain, unit, from, 3);
}

}  // namespace

void add_residual(Chain& chain, const ResidualUnit& unit) {
    if (unit.block == ResidualBlock::basic) {
        add_basic(chain, unit);
    } else {
        add_bottleneck(chain, unit);
    }
}

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

namespace {

constexpr std::int64_t board = 19;
constexpr std::int64_t planes = 17;
constexpr std::int64_t tower_width = 256;
constexpr int tower_blocks = 19;

}  // namespace

Graph minigo(std::int64_t batch) {
    Chain chain("minigo", {{batch, planes, board, board}});
    add_normalized(chain, "conv1", {tower_width, 3, 1, 1}).relu("relu1");
    for (int i = 0; i < tower_blocks; ++i) {
        add_residual(chain, {.prefix = fmt::format("block{}.", i + 1),
                             .block = ResidualBlock::basic,
                             .outer = tower_width});
    }
    const TensorId tower = chain.last();
    add_normalized(chain, "value.conv", {1}).relu("value.relu1");
    chain.add("value.fc1", FullyConnected{tower_width}).relu("value.relu2");
    chain.add("value.fc2", FullyConnected{1}).add("value", Activation{ActivationKind::tanh});
    add_normalized(chain.resume(tower), "policy.conv", {2}).relu("policy.relu");
    return chain.add("policy.fc", FullyConnected{board * board + 1}).with_loss();
}

}  // namespace strata
