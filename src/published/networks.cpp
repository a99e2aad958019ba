// SPDX-License-Identifier: MIT
#include "published/networks.h"

#include "published/convnet_benchmarks.h"

#include <algorithm>
#include <array>

namespace strata {

namespace {

constexpr std::array networks = {
    PublishedNetwork{"convnet-benchmarks/alexnet-owt", "Caffe, no dropout, no loss",
                     convnet_alexnet},
    PublishedNetwork{"convnet-benchmarks/vgg-a", "Caffe, no dropout, no loss", convnet_vgg_a},
    PublishedNetwork{"convnet-benchmarks/overfeat-fast", "Caffe, no dropout, no loss",
                     convnet_overfeat},
    PublishedNetwork{"convnet-benchmarks/googlenet",
                     "Caffe, no LRN, no auxiliary classifiers, no loss", convnet_googlenet},
};

}  // namespace

std::span<const PublishedNetwork> published_networks() {
    return networks;
}

const PublishedNetwork* find_published_network(std::string_view name) {
    const auto found = std::ranges::find(networks, name, &PublishedNetwork::name);
    return found == networks.end() ? nullptr : &*found;
}

}  // namespace strata
