// SPDX-License-Identifier: MIT
#include "published/networks.h"

#include "networks/zoo/chain.h"
#include "networks/zoo/resnet.h"
#include "published/convnet_benchmarks.h"

#include <algorithm>
#include <array>

namespace strata {

namespace {

// The net profiled in Levinthal's slides: the script's own AlexNet, 1001 classes, no dropout.
Graph tf_cnn_benchmarks_alexnet(std::int64_t batch) {
    const Pooling pooling = max_pooling({.kernel = 3, .stride = 2});
    Chain chain("alexnet-tf", batch, 227);
    chain.add("conv1", convolution({.channels = 64, .kernel = 11, .stride = 4})).relu("relu1");
    chain.add("pool1", pooling);
    chain.add("conv2", convolution({192, 5, 1, 2})).relu("relu2").add("pool2", pooling);
    chain.add("conv3", convolution({384, 3, 1, 1})).relu("relu3");
    chain.add("conv4", convolution({384, 3, 1, 1})).relu("relu4");
    chain.add("conv5", convolution({256, 3, 1, 1})).relu("relu5").add("pool5", pooling);
    chain.add("fc6", FullyConnected{4096}).relu("relu6");
    chain.add("fc7", FullyConnected{4096}).relu("relu7");
    return chain.add("fc8", FullyConnected{1001}).with_loss();
}

// Table 1 of the ResNet paper (version 1): the first 1x1 convolution of a block has the stride.
template <const ResNet& variant>
Graph version_1(std::int64_t batch) {
    ResNet resnet = variant;
    resnet.stride = StridePlacement::first_1x1;
    return build(resnet, batch);
}

constexpr std::array networks = {
    PublishedNetwork{"tf-cnn-benchmarks/alexnet", "64-192-384-384-256, 227 x 227, no padding",
                     tf_cnn_benchmarks_alexnet},
    PublishedNetwork{"resnet-v1/18", "He et al. 2015, Table 1", version_1<resnet_18>},
    PublishedNetwork{"resnet-v1/34", "He et al. 2015, Table 1", version_1<resnet_34>},
    PublishedNetwork{"resnet-v1/50", "He et al. 2015, Table 1", version_1<resnet_50>},
    PublishedNetwork{"resnet-v1/101", "He et al. 2015, Table 1", version_1<resnet_101>},
    PublishedNetwork{"resnet-v1/152", "He et al. 2015, Table 1", version_1<resnet_152>},
    PublishedNetwork{"convnet-benchmarks/alexnet-owt", "Caffe, no dropout, no loss",
                     convnet_alexnet},
    PublishedNetwork{"convnet-benchmarks/vgg-a", "Caffe, no dropout, no loss", convnet_vgg_a},
    PublishedNetwork{"convnet-benchmarks/overfeat-fast", "Caffe, no dropout, no loss",
                     convnet_overfeat},
    PublishedNetwork{"convnet-benchmarks/googlenet",
                     "Caffe, no LRN, no auxiliary classifiers, no loss", convnet_googlenet},
};

}  // namespace

const PublishedNetwork* find_published_network(std::string_view name) {
    const auto found = std::ranges::find(networks, name, &PublishedNetwork::name);
    return found == networks.end() ? nullptr : &*found;
}

}  // namespace strata
