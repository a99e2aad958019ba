// SPDX-License-Identifier: MIT
#include "networks/zoo/as_published.h"

#include "networks/zoo/blocks.h"

#include <fmt/format.h>

#include <array>

namespace strata {

namespace {

// Table 5 of the paper, 1x: units and channels of stages 2 to 4.
struct Stage {
    int units;
    std::int64_t channels;
};

constexpr std::array<Stage, 3> stages = {{{4, 116}, {8, 232}, {4, 464}}};

// Half of the channels, beginning with `start`.
Slice half_from(std::int64_t start, std::int64_t channels) {
    return {.axes = {1}, .starts = {start}, .extents = {channels / 2}};
}

void add_pointwise(Chain& chain, const std::string& name, std::int64_t channels) {
    add_normalized(chain, name, {channels}).relu(name + ".relu");
}

// 1x1, depthwise 3x3, 1x1: the computing branch of a unit.
TensorId add_branch(Chain& chain, const std::string& unit, std::int64_t channels,
                    std::int64_t stride) {
    add_pointwise(chain, unit + "conv1", channels);
    add_normalized(chain, unit + "depthwise", depthwise(channels, 3, stride));
    add_pointwise(chain, unit + "conv2", channels);
    return chain.last();
}

// Interleaves the channels of both halves.
void add_shuffle(Chain& chain, const std::string& unit, TensorId left, TensorId right) {
    chain.join(unit + "concat", Concat{}, {left, right});
    const Dims dims = chain.dims();
    chain.add(unit + "halves", Reshape{{0, 2, dims[1] / 2, dims[2], dims[3]}});
    chain.add(unit + "shuffle", Transpose{{0, 2, 1, 3, 4}});
    chain.add(unit + "shuffled", Reshape{{0, dims[1], dims[2], dims[3]}});
}

// In a strided unit both branches convolve, and each reads all channels.
void add_strided_unit(Chain& chain, const std::string& unit, std::int64_t channels) {
    const TensorId from = chain.last();
    add_normalized(chain, unit + "shortcut", depthwise(chain.channels(), 3, 2));
    add_pointwise(chain, unit + "shortcut.conv", channels / 2);
    const TensorId shortcut = chain.last();
    chain.resume(from);
    add_shuffle(chain, unit, shortcut, add_branch(chain, unit, channels / 2, 2));
}

void add_unit(Chain& chain, const std::string& unit, std::int64_t channels) {
    const TensorId from = chain.last();
    const TensorId kept = chain.add(unit + "left", half_from(0, channels)).last();
    chain.resume(from).add(unit + "right", half_from(channels / 2, channels));
    add_shuffle(chain, unit, kept, add_branch(chain, unit, channels / 2, 1));
}

}  // namespace

Graph shufflenet_v2(std::int64_t batch) {
    Chain chain("shufflenet-v2", batch, 224);
    add_normalized(chain, "conv1", {24, 3, 2, 1}).relu("conv1.relu");
    chain.add("maxpool", max_pooling({.kernel = 3, .stride = 2, .pad = 1}));
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        const auto [units, channels] = stages[stage];
        const std::string name = fmt::format("stage{}.", stage + 2);
        add_strided_unit(chain, name + "0.", channels);
        for (int i = 1; i < units; ++i) {
            add_unit(chain, fmt::format("{}{}.", name, i), channels);
        }
    }
    add_pointwise(chain, "conv5", 1024);
    chain.add("avgpool", global_average_pooling());
    return chain.add("fc", FullyConnected{1000}).with_loss();
}

}  // namespace strata
