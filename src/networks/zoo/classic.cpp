// SPDX-License-Identifier: MIT
#include "networks/zoo/classic.h"

#include "networks/zoo/as_published.h"

#include <fmt/format.h>

#include <array>

namespace strata {

namespace {

Graph caffe(Chain& chain) {
    chain.add("fc6", FullyConnected{4096}).relu("relu6").dropout("drop6");
    chain.add("fc7", FullyConnected{4096}).relu("relu7").dropout("drop7");
    return chain.add("fc8", FullyConnected{1000}).with_loss();
}

Graph torchvision(Chain& chain) {
    chain.dropout("drop5").add("fc6", FullyConnected{4096}).relu("relu6");
    chain.dropout("drop6").add("fc7", FullyConnected{4096}).relu("relu7");
    return chain.add("fc8", FullyConnected{1000}).with_loss();
}

Graph dnnmark(Chain& chain) {
    chain.add("fc6", FullyConnected{4096}).relu("relu6");
    chain.add("fc7", FullyConnected{4096}).relu("relu7");
    return chain.add("fc8", FullyConnected{1000}).add("softmax", Softmax{}).finish();
}

}  // namespace

Graph with_classifier(Chain chain, Classifier classifier) {
    switch (classifier) {
        case Classifier::caffe:
            return caffe(chain);
        case Classifier::torchvision:
            return torchvision(chain);
        case Classifier::dnnmark:
            return dnnmark(chain);
    }
    return chain.finish();
}

namespace {

Pooling overlapping_pooling() {
    return max_pooling({.kernel = 3, .stride = 2, .ceil_mode = true});
}

void add_normalization(Chain& chain, const AlexNet& variant, std::string name) {
    if (variant.normalization == ResponseNormalization::across_channels) {
        chain.add(std::move(name), Lrn{});
    }
}

}  // namespace

Graph build(const AlexNet& variant, std::int64_t batch) {
    const auto& channels = variant.channels;
    const std::int64_t groups = variant.groups;
    Chain chain(variant.name, batch, variant.image);
    chain.add("conv1",
              convolution(
                  {.channels = channels[0], .kernel = 11, .stride = 4, .pad = variant.conv1_pad}));
    chain.relu("relu1");
    add_normalization(chain, variant, "lrn1");
    chain.add("pool1", overlapping_pooling());
    chain.add("conv2", convolution({channels[1], 5, 1, 2, groups})).relu("relu2");
    add_normalization(chain, variant, "lrn2");
    chain.add("pool2", overlapping_pooling());
    chain.add("conv3", convolution({channels[2], 3, 1, 1})).relu("relu3");
    chain.add("conv4", convolution({channels[3], 3, 1, 1, groups})).relu("relu4");
    chain.add("conv5", convolution({channels[4], 3, 1, 1, groups})).relu("relu5");
    chain.add("pool5", overlapping_pooling());
    return with_classifier(std::move(chain), variant.classifier);
}

Graph build(const Vgg& variant, std::int64_t batch) {
    constexpr std::array<std::int64_t, 5> channels = {64, 128, 256, 512, 512};
    Chain chain(variant.name, batch, 224);
    for (std::size_t block = 0; block < channels.size(); ++block) {
        for (int i = 1; i <= variant.depths[block]; ++i) {
            const auto place = fmt::format("{}_{}", block + 1, i);
            chain.add("conv" + place, convolution({channels[block], 3, 1, 1}));
            chain.relu("relu" + place);
        }
        chain.add(fmt::format("pool{}", block + 1), max_pooling({.kernel = 2, .stride = 2}));
    }
    return with_classifier(std::move(chain), variant.classifier);
}

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

void add_googlenet_stem(Chain& chain) {
    chain.add("conv1/7x7_s2", convolution({64, 7, 2, 3})).relu("conv1/relu_7x7");
    chain.add("pool1/3x3_s2", overlapping_pooling());
    chain.add("pool1/norm1", Lrn{});
    add_convolution(chain, "conv2/", "3x3_reduce", {64});
    add_convolution(chain, "conv2/", "3x3", {192, 3, 1, 1});
    chain.add("conv2/norm2", Lrn{});
    chain.add("pool2/3x3_s2", overlapping_pooling());
}

}  // namespace

Graph googlenet(std::int64_t batch) {
    Chain chain("googlenet", batch, 224);
    add_googlenet_stem(chain);
    for (const Inception& block : blocks) {
        add_inception(chain, block);
        if (block.name == "3b" || block.name == "4e") {
            chain.add(block.name == "3b" ? "pool3/3x3_s2" : "pool4/3x3_s2", overlapping_pooling());
        }
    }
    chain.add("pool5/7x7_s1", average_pooling({.kernel = 7, .stride = 1}));
    chain.dropout("pool5/drop_7x7_s1", 0.4);
    return chain.add("loss3/classifier", FullyConnected{1000}).with_loss();
}

}  // namespace strata
