// SPDX-License-Identifier: MIT
#include "networks/zoo/googlenet.h"

#include <array>

namespace strata {

namespace {

// Channels of an inception block: 1x1; 3x3 after its reduction; 5x5 after its reduction; 1x1 after
// pooling.
struct Inception {
    std::string_view name;
    std::int64_t direct;
    std::int64_t reduce_3x3, out_3x3;
    std::int64_t reduce_5x5, out_5x5;
    std::int64_t projected;
};

// Table 1 of the paper.
constexpr std::array<Inception, 9> blocks = {{{"3a", 64, 96, 128, 16, 32, 32},
                                              {"3b", 128, 128, 192, 32, 96, 64},
                                              {"4a", 192, 96, 208, 16, 48, 64},
                                              {"4b", 160, 112, 224, 24, 64, 64},
                                              {"4c", 128, 128, 256, 24, 64, 64},
                                              {"4d", 112, 144, 288, 32, 64, 64},
                                              {"4e", 256, 160, 320, 32, 128, 128},
                                              {"5a", 256, 160, 320, 32, 128, 128},
                                              {"5b", 384, 192, 384, 48, 128, 128}}};

Pooling overlapping_halving() {
    return max_pooling({.kernel = 3, .stride = 2, .ceil_mode = true});
}

// A convolution and its ReLU, named as Caffe names them: "conv1/7x7_s2" and "conv1/relu_7x7".
void add_convolution(Chain& chain, const std::string& block, const std::string& name,
                     const SquareConvolution& window) {
    chain.add(block + name, convolution(window));
    chain.relu(block + "relu_" + name);
}

void add_inception(Chain& chain, const Inception& size) {
    const std::string block = "inception_" + std::string(size.name) + "/";
    const TensorId from = chain.last();
    add_convolution(chain, block, "1x1", {size.direct});
    const TensorId direct = chain.last();
    chain.resume(from);
    add_convolution(chain, block, "3x3_reduce", {size.reduce_3x3});
    add_convolution(chain, block, "3x3", {size.out_3x3, 3, 1, 1});
    const TensorId out_3x3 = chain.last();
    chain.resume(from);
    add_convolution(chain, block, "5x5_reduce", {size.reduce_5x5});
    add_convolution(chain, block, "5x5", {size.out_5x5, 5, 1, 2});
    const TensorId out_5x5 = chain.last();
    chain.resume(from).add(block + "pool", max_pooling({.kernel = 3, .stride = 1, .pad = 1}));
    add_convolution(chain, block, "pool_proj", {size.projected});
    chain.join(block + "output", Concat{}, {direct, out_3x3, out_5x5, chain.last()});
}

void add_stem(Chain& chain, ResponseNormalization normalization) {
    const bool normalized = normalization == ResponseNormalization::across_channels;
    chain.add("conv1/7x7_s2", convolution({64, 7, 2, 3})).relu("conv1/relu_7x7");
    chain.add("pool1/3x3_s2", overlapping_halving());
    if (normalized) {
        chain.add("pool1/norm1", Lrn{});
    }
    add_convolution(chain, "conv2/", "3x3_reduce", {64});
    add_convolution(chain, "conv2/", "3x3", {192, 3, 1, 1});
    if (normalized) {
        chain.add("conv2/norm2", Lrn{});
    }
    chain.add("pool2/3x3_s2", overlapping_halving());
}

}  // namespace

Graph build(const GoogLeNet& variant, std::int64_t batch) {
    Chain chain(variant.name, batch, 224);
    add_stem(chain, variant.normalization);
    for (const Inception& block : blocks) {
        add_inception(chain, block);
        if (block.name == "3b" || block.name == "4e") {
            chain.add(block.name == "3b" ? "pool3/3x3_s2" : "pool4/3x3_s2", overlapping_halving());
        }
    }
    chain.add("pool5/7x7_s1", average_pooling({.kernel = 7, .stride = 1}));
    chain.dropout("pool5/drop_7x7_s1", 0.4);
    return chain.add("loss3/classifier", FullyConnected{1000}).with_loss();
}

}  // namespace strata
