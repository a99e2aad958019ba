// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "networks/generate/families.h"
#include "networks/zoo/chain.h"

#include <fmt/format.h>

namespace strata {

namespace {

// Activations are [batch * length, embed] throughout; only attention uses the sequence structure.
struct Sizes {
    std::int64_t batch, length, embed, heads, inner;

    Reshape sequences() const { return {.dims = {batch, length, embed}}; }
};

Sizes sizes_of(const Generator& generator, std::int64_t batch) {
    const Sizes sizes = {batch, value_of(generator, "length"), value_of(generator, "embed"),
                         value_of(generator, "heads"), value_of(generator, "inner")};
    if (sizes.embed % sizes.heads != 0) {
        throw Error(fmt::format("transformer: heads={} does not divide embed={}; change one",
                                sizes.heads, sizes.embed),
                    ExitCode::usage);
    }
    return sizes;
}

TensorId add_head(Chain& chain, const std::string& name, const Sizes& sizes, TensorId from) {
    chain.resume(from).add(name, FullyConnected{sizes.embed});
    return chain.add(name + ".sequences", sizes.sequences()).last();
}

// Adds the sublayer's result to its input and normalises the sum.
void add_residual_sum(Chain& chain, const std::string& name, TensorId from) {
    chain.join(name + ".add", Elementwise{}, {chain.last(), from});
    chain.add(name + ".norm", LayerNormalization{});
}

void add_attention(Chain& chain, const std::string& name, const Sizes& sizes) {
    const TensorId from = chain.last();
    const TensorId query = add_head(chain, name + ".query", sizes, from);
    const TensorId key = add_head(chain, name + ".key", sizes, from);
    const TensorId value = add_head(chain, name + ".value", sizes, from);
    chain.join(name, Attention{.heads = sizes.heads, .causal = true}, {query, key, value});
    chain.add(name + ".positions", Reshape{.dims = {-1, sizes.embed}});
    chain.add(name + ".output", FullyConnected{sizes.embed});
    add_residual_sum(chain, name, from);
}

void add_feedforward(Chain& chain, const std::string& name, const Sizes& sizes) {
    const TensorId from = chain.last();
    chain.add(name + ".inner", FullyConnected{sizes.inner}).relu(name + ".relu");
    chain.add(name + ".output", FullyConnected{sizes.embed});
    add_residual_sum(chain, name, from);
}

}  // namespace

void generate_transformer(const Generator& generator, std::int64_t batch, LayerSink& sink) {
    const Sizes sizes = sizes_of(generator, batch);
    const std::int64_t vocabulary = value_of(generator, "vocabulary");
    Chain chain(sink, {{batch, sizes.length}, DataType::s64});
    chain.add("embedding", Embedding{.rows = vocabulary, .width = sizes.embed});
    const TensorId positions =
        chain.constant("positions", {{sizes.length, sizes.embed}}, Role::constant);
    chain.join("embedding.add", Elementwise{}, {chain.last(), positions});
    chain.add("flat", Reshape{.dims = {-1, sizes.embed}});
    for (std::int64_t i = 0; i < value_of(generator, "layers"); ++i) {
        add_attention(chain, fmt::format("layer{}.attention", i), sizes);
        add_feedforward(chain, fmt::format("layer{}.feedforward", i), sizes);
    }
    chain.add("projection", FullyConnected{vocabulary}).end_with_loss();
}

}  // namespace strata
