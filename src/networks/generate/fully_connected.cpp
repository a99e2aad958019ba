// SPDX-License-Identifier: MIT
#include "networks/generate/families.h"
#include "networks/zoo/chain.h"

#include <string>

namespace strata {

// (Names without fmt: of a sweep's networks they are a good part of the time.)
void generate_fully_connected(const Generator& generator, std::int64_t batch, LayerSink& sink) {
    const std::int64_t layers = value_of(generator, "layers");
    const FullyConnected hidden{value_of(generator, "nodes")};
    Chain chain(sink, {{batch, value_of(generator, "inputs")}});
    for (std::int64_t i = 0; i < layers; ++i) {
        const std::string number = std::to_string(i);
        chain.add("fc" + number, hidden);
        chain.relu("relu" + number);
    }
    chain.add("fc" + std::to_string(layers), FullyConnected{value_of(generator, "outputs")});
    chain.end_with_loss();
}

}  // namespace strata
