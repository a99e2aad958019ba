// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace strata {

// A network that a publication counted and that nobody would run: a variant of one of the zoo, or a
// net without an end.
struct PublishedNetwork {
    std::string_view name;    // "convnet-benchmarks/vgg-a"
    std::string_view origin;  // whose it is, and what tells it from its namesakes
    Graph (*build)(std::int64_t batch);
};

// THE list.
std::span<const PublishedNetwork> published_networks();

// Nothing where there is none of that name.
const PublishedNetwork* find_published_network(std::string_view name);

}  // namespace strata
