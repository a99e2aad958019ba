// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/transformer_layers.h"

namespace strata {

// Vaswani et al. 2017, "Attention is all you need", for WMT English to German: six layers each of
// encoder and decoder, normalised after each residual sum, one embedding of 37,000 tokens for both
// languages and the scores, sinusoidal positions. Every projection has a bias, as in PyTorch's
// nn.Transformer; dropout of the embeddings and of each sublayer's result, as published. Source and
// target are 128 tokens long, about what a batch grouped by length holds; the loss is over all
// positions.
struct Transformer {
    std::string_view name;
    std::int64_t width = 512;
    std::int64_t inner = 2048;
    std::int64_t heads = 8;
    double dropout = 0.1;
    AttentionForm form = AttentionForm::fused;
    std::int64_t layers = 6;
    std::int64_t vocabulary = 37'000;
    std::int64_t length = 128;
};

inline constexpr Transformer transformer_base = {.name = "transformer-base"};  // 63,082,496
inline constexpr Transformer transformer_base_unfused = {.name = "transformer-base-unfused",
                                                         .form = AttentionForm::unfused};
inline constexpr Transformer transformer_big = {
    .name = "transformer-big", .width = 1024, .inner = 4096, .heads = 16, .dropout = 0.3};
// 214,245,376

Graph build(const Transformer& variant, std::int64_t batch);

}  // namespace strata
