// SPDX-License-Identifier: MIT
#include "networks/zoo/gpt2.h"

#include <fmt/format.h>

namespace strata {

namespace {

Sequences embed(TransformerLayers& layers, const Gpt2& variant, TensorId table) {
    GraphBuilder& builder = layers.builder();
    const TensorId tokens = layers.tokens("tokens", variant.length);
    const TensorId words = builder.add_with_operands(
        "wte", Embedding{variant.vocabulary, variant.width}, {tokens, table});
    const TensorId places = builder.add("wpe", Embedding{variant.length, variant.width},
                                        {layers.numbers("position_numbers", variant.length)});
    const TensorId x = layers.rows("embedding.rows", layers.add("embedding", words, places));
    return {layers.dropout("embedding.dropout", x, variant.dropout), variant.length};
}

// x + Sublayer(LayerNorm(x)), twice.
void decode(TransformerLayers& layers, const Gpt2& variant, const std::string& name, Sequences& x) {
    const auto close = [&](const std::string& sublayer, TensorId result) {
        x.rows = layers.add(sublayer + ".residual", x.rows,
                            layers.dropout(sublayer + ".dropout", result, variant.dropout));
    };
    const Sequences normal = {layers.normalize(name + ".ln_1", x.rows), x.length};
    close(name + ".attn",
          layers.attend(name + ".attn", normal, normal, variant.heads, Sight::past));
    close(name + ".mlp",
          layers.feed_forward(name + ".mlp", layers.normalize(name + ".ln_2", x.rows),
                              4 * variant.width, ActivationKind::gelu_tanh));
}

}  // namespace

Graph build(const Gpt2& variant, std::int64_t batch) {
    TransformerLayers layers(variant.name, batch, variant.width, variant.form);
    GraphBuilder& builder = layers.builder();
    const TensorId table = builder.constant(
        "wte.weight", Tensor{{variant.vocabulary, variant.width}}, Role::parameter);
    Sequences x = embed(layers, variant, table);
    for (std::int64_t i = 0; i < variant.layers; ++i) {
        decode(layers, variant, fmt::format("h.{}", i), x);
    }
    return layers.with_loss(builder.add_with_operands("lm_head", MatMul{.transpose_b = true},
                                                      {layers.normalize("ln_f", x.rows), table}));
}

}  // namespace strata
