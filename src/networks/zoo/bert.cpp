// SPDX-License-Identifier: MIT
#include "networks/zoo/bert.h"

#include <fmt/format.h>

namespace strata {

namespace {

constexpr double epsilon = 1e-12;

// The sum of the embeddings of tokens, segments and positions, normalised.
Sequences embed(TransformerLayers& layers, const Bert& variant) {
    GraphBuilder& builder = layers.builder();
    const TensorId tokens = layers.tokens("tokens", variant.length);
    const TensorId segments = layers.tokens("segments", variant.length);
    const TensorId words =
        builder.add("embeddings.words", Embedding{variant.vocabulary, variant.width}, {tokens});
    const TensorId kinds =
        builder.add("embeddings.segments", Embedding{variant.segments, variant.width}, {segments});
    const TensorId places =
        builder.add("embeddings.positions", Embedding{variant.positions, variant.width},
                    {layers.numbers("position_numbers", variant.length)});
    TensorId x = builder.add("embeddings.sum", Elementwise{}, {words, kinds, places});
    x = layers.normalize("embeddings.norm", layers.rows("embeddings.rows", x), epsilon);
    return {layers.dropout("embeddings.dropout", x, variant.dropout), variant.length};
}

void encode(TransformerLayers& layers, const Bert& variant, const std::string& name, Sequences& x) {
    const auto close = [&](const std::string& sublayer, TensorId result) {
        const TensorId dropped = layers.dropout(sublayer + ".dropout", result, variant.dropout);
        x.rows = layers.normalize(sublayer + ".norm",
                                  layers.add(sublayer + ".residual", x.rows, dropped), epsilon);
    };
    close(name + ".attention",
          layers.attend(name + ".attention", x, x, variant.heads, Sight::everything));
    close(name + ".feed_forward", layers.feed_forward(name + ".feed_forward", x.rows,
                                                      4 * variant.width, ActivationKind::gelu));
}

// Applies a linear layer and tanh to the first token.
TensorId pool(TransformerLayers& layers, const Sequences& x) {
    GraphBuilder& builder = layers.builder();
    const TensorId all = builder.add("pooler.sequence",
                                     Reshape{{layers.batch(), x.length, layers.width()}}, {x.rows});
    const TensorId first =
        builder.add("pooler.first", Slice{.axes = {1}, .starts = {0}, .extents = {1}}, {all});
    const TensorId flat = layers.rows("pooler.rows", first);
    return layers.activate("pooler.tanh", layers.linear("pooler.dense", flat, layers.width()),
                           ActivationKind::tanh);
}

}  // namespace

Graph build(const Bert& variant, std::int64_t batch) {
    TransformerLayers layers(variant.name, batch, variant.width, variant.form);
    Sequences x = embed(layers, variant);
    for (std::int64_t i = 0; i < variant.layers; ++i) {
        encode(layers, variant, fmt::format("encoder.{}", i), x);
    }
    const TensorId pooled = layers.dropout("dropout", pool(layers, x), variant.dropout);
    return layers.with_loss(layers.linear("classifier", pooled, 2));
}

}  // namespace strata
