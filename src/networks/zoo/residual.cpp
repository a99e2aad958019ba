// SPDX-License-Identifier: MIT
#include "networks/zoo/residual.h"

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

}  // namespace strata
