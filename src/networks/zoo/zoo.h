// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace strata {

// A zoo entry.
struct ZooNetwork {
    std::string_view name;
    std::string_view origin;  // paper, and which variant of it
    Graph (*build)(std::int64_t batch);
};

// THE list of networks that can be requested by name.
std::span<const ZooNetwork> zoo();

bool is_zoo_name(std::string_view name);

}  // namespace strata
