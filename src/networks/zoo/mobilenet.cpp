// SPDX-License-Identifier: MIT
#include "networks/zoo/as_published.h"

#include "networks/zoo/chain.h"

#include <fmt/format.h>

#include <array>

namespace strata {

namespace {

Activation relu6() {
    return {.kind = ActivationKind::clip, .alpha = 0, .beta = 6};
}

// A convolution without bias and its batch normalisation.
Chain& add_pair(Chain& chain, const std::string& name, SquareConvolution window) {
    window.bias = false;
    return chain.add(name, convolution(window)).add(name + ".bn", BatchNormalization{});
}

// A 3x3 convolution of each channel by itself.
SquareConvolution depthwise_3x3(const Chain& chain, std::int64_t stride) {
    return {chain.channels(), 3, stride, 1, chain.channels()};
}

// Depthwise 3x3 and pointwise 1x1, each with batch normalisation and ReLU.
struct Separable {
    std::int64_t channels;
    std::int64_t stride;
};

constexpr std::array<Separable, 13> separables = {{{64, 1},
                                                   {128, 2},
                                                   {128, 1},
                                                   {256, 2},
                                                   {256, 1},
                                                   {512, 2},
                                                   {512, 1},
                                                   {512, 1},
                                                   {512, 1},
                                                   {512, 1},
                                                   {512, 1},
                                                   {1024, 2},
                                                   {1024, 1}}};

void add_separable(Chain& chain, const std::string& block, const Separable& size) {
    add_pair(chain, block + "depthwise", depthwise_3x3(chain, size.stride));
    chain.relu(block + "depthwise.relu");
    add_pair(chain, block + "pointwise", {size.channels});
    chain.relu(block + "pointwise.relu");
}

// A row of Table 2 of the paper: expansion factor, channels, repeats, stride of the first.
struct Inverted {
    std::int64_t expansion;
    std::int64_t channels;
    int repeats;
    std::int64_t stride;
};

constexpr std::array<Inverted, 7> inverteds = {{{1, 16, 1, 1},
                                                {6, 24, 2, 2},
                                                {6, 32, 3, 2},
                                                {6, 64, 4, 2},
                                                {6, 96, 3, 1},
                                                {6, 160, 3, 2},
                                                {6, 320, 1, 1}}};

void add_inverted(Chain& chain, const std::string& block, const Inverted& size) {
    const TensorId from = chain.last();
    const std::int64_t channels = chain.channels();
    if (size.expansion != 1) {
        add_pair(chain, block + "expand", {size.expansion * channels});
        chain.add(block + "expand.relu", relu6());
    }
    add_pair(chain, block + "depthwise", depthwise_3x3(chain, size.stride));
    chain.add(block + "depthwise.relu", relu6());
    add_pair(chain, block + "project", {size.channels});
    if (size.stride == 1 && size.channels == channels) {
        chain.join(block + "add", Elementwise{}, {chain.last(), from});
    }
}

}  // namespace

Graph mobilenet_v1(std::int64_t batch) {
    Chain chain("mobilenet-v1", batch, 224);
    add_pair(chain, "conv1", {32, 3, 2, 1}).relu("conv1.relu");
    for (std::size_t i = 0; i < separables.size(); ++i) {
        add_separable(chain, fmt::format("block{}.", i + 1), separables[i]);
    }
    chain.add("avgpool", global_average_pooling());
    return chain.add("fc", FullyConnected{1000}).with_loss();
}

Graph mobilenet_v2(std::int64_t batch) {
    Chain chain("mobilenet-v2", batch, 224);
    add_pair(chain, "conv1", {32, 3, 2, 1}).add("conv1.relu", relu6());
    int index = 0;
    for (Inverted row : inverteds) {
        for (int i = 0; i < row.repeats; ++i, row.stride = 1) {
            add_inverted(chain, fmt::format("block{}.", ++index), row);
        }
    }
    add_pair(chain, "conv_last", {1280}).add("conv_last.relu", relu6());
    chain.add("avgpool", global_average_pooling()).dropout("dropout", 0.2);
    return chain.add("fc", FullyConnected{1000}).with_loss();
}

}  // namespace strata
