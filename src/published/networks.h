// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <cstdint>
#include <string_view>

namespace strata {

// A network counted in a publication but not meant to be run: a variant of a zoo network, or a net
// without a loss.
struct PublishedNetwork {
    std::string_view name;    // "convnet-benchmarks/vgg-a"
    std::string_view origin;  // its source, and how it differs from its namesakes
    Graph (*build)(std::int64_t batch);
};

// THE list is in networks.cpp. Nothing if it has none of that name.
const PublishedNetwork* find_published_network(std::string_view name);

}  // namespace strata
