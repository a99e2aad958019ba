// SPDX-License-Identifier: MIT
#include "networks/zoo/as_published.h"

#include "networks/zoo/chain.h"

#include <fmt/format.h>

#include <array>

namespace strata {

namespace {

constexpr std::int64_t growth = 32;
constexpr std::array<int, 4> depths = {6, 12, 24, 16};

// Batch normalisation, ReLU, convolution: DenseNet's order. `index` is the number at the end of the
// names.
void add_triple(Chain& chain, const std::string& block, const std::string& index,
                SquareConvolution window) {
    window.bias = false;
    chain.add(block + "norm" + index, BatchNormalization{}).relu(block + "relu" + index);
    chain.add(block + "conv" + index, convolution(window));
}

void add_dense_layer(Chain& chain, const std::string& layer) {
    const TensorId before = chain.last();
    add_triple(chain, layer, "1", {4 * growth});
    add_triple(chain, layer, "2", {growth, 3, 1, 1});
    chain.join(layer + "concat", Concat{}, {before, chain.last()});
}

void add_transition(Chain& chain, const std::string& transition) {
    add_triple(chain, transition, "", {chain.channels() / 2});
    chain.add(transition + "pool", average_pooling({.kernel = 2, .stride = 2}));
}

}  // namespace

Graph densenet_121(std::int64_t batch) {
    Chain chain("densenet-121", batch, 224);
    chain.add("conv0",
              convolution({.channels = 64, .kernel = 7, .stride = 2, .pad = 3, .bias = false}));
    chain.add("norm0", BatchNormalization{}).relu("relu0");
    chain.add("pool0", max_pooling({.kernel = 3, .stride = 2, .pad = 1}));
    for (std::size_t block = 0; block < depths.size(); ++block) {
        for (int layer = 1; layer <= depths[block]; ++layer) {
            add_dense_layer(chain, fmt::format("denseblock{}.denselayer{}.", block + 1, layer));
        }
        if (block + 1 < depths.size()) {
            add_transition(chain, fmt::format("transition{}.", block + 1));
        }
    }
    chain.add("norm5", BatchNormalization{}).relu("relu5");
    chain.add("avgpool", global_average_pooling());
    return chain.add("classifier", FullyConnected{1000}).with_loss();
}

}  // namespace strata
