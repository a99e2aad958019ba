// SPDX-License-Identifier: MIT
#include "networks/zoo/alexnet.h"

namespace strata {

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

}  // namespace strata
