// SPDX-License-Identifier: MIT
#include "networks/generate/families.h"
#include "networks/zoo/chain.h"

#include <fmt/format.h>

namespace strata {

Graph generate_fully_connected(const Generator& generator, std::int64_t batch) {
    const std::int64_t layers = value_of(generator, "layers");
    Chain chain(to_text(generator), {{batch, value_of(generator, "inputs")}});
    for (std::int64_t i = 0; i < layers; ++i) {
        chain.add(fmt::format("fc{}", i), FullyConnected{value_of(generator, "nodes")});
        chain.relu(fmt::format("relu{}", i));
    }
    chain.add(fmt::format("fc{}", layers), FullyConnected{value_of(generator, "outputs")});
    return chain.with_loss();
}

}  // namespace strata
