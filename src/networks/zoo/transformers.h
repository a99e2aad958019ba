// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/transformer_layers.h"

namespace strata {

// Vaswani et al. 2017, "Attention is all you need", for WMT English to German: six layers each of
// encoder and decoder, normalised after each residual sum, one embedding of 37,000 tokens for both
// languages and the scores, sinusoidal positions. Every projection has a bias, as in PyTorch's
// nn.Transformer; the embeddings and each sublayer's result have dropout, as published. Source and
// target are 128 tokens long, about as many as a batch grouped by length has; the loss covers all
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

// Devlin et al. 2018, as fine-tuned for two classes: the encoder with its pooler over the first
// token (109,482,240 parameters for base, 335,141,888 for large), followed by a classifier with two
// outputs. Sequences of 128 tokens, as in nine tenths of its training.
struct Bert {
    std::string_view name;
    std::int64_t layers = 12;
    std::int64_t width = 768;
    std::int64_t heads = 12;
    AttentionForm form = AttentionForm::fused;
    std::int64_t length = 128;
    std::int64_t vocabulary = 30'522;
    std::int64_t positions = 512;
    std::int64_t segments = 2;
    double dropout = 0.1;
};

inline constexpr Bert bert_base = {.name = "bert-base"};
inline constexpr Bert bert_base_unfused = {.name = "bert-base-unfused",
                                           .form = AttentionForm::unfused};
inline constexpr Bert bert_large = {.name = "bert-large", .layers = 24, .width = 1024, .heads = 16};

Graph build(const Bert& variant, std::int64_t batch);

// Radford et al. 2019: a causal decoder, normalised before each sublayer, that predicts the next
// token at all 1,024 positions; the scores reuse the token embedding.
struct Gpt2 {
    std::string_view name;
    std::int64_t layers = 12;
    std::int64_t width = 768;
    std::int64_t heads = 12;
    AttentionForm form = AttentionForm::fused;
    std::int64_t length = 1024;
    std::int64_t vocabulary = 50'257;
    double dropout = 0.1;
};

inline constexpr Gpt2 gpt2_small = {.name = "gpt-2"};  // 124,439,808
inline constexpr Gpt2 gpt2_unfused = {.name = "gpt-2-unfused", .form = AttentionForm::unfused};
inline constexpr Gpt2 gpt2_medium = {
    .name = "gpt-2-medium", .layers = 24, .width = 1024, .heads = 16};  // 354,823,168
inline constexpr Gpt2 gpt2_large = {
    .name = "gpt-2-large", .layers = 36, .width = 1280, .heads = 20};  // 774,030,080
inline constexpr Gpt2 gpt2_xl = {
    .name = "gpt-2-xl", .layers = 48, .width = 1600, .heads = 25};  // 1,557,611,200

Graph build(const Gpt2& variant, std::int64_t batch);

// Dosovitskiy et al. 2020, as in torchvision: 224 x 224 in patches of 16 x 16, a class token before
// their 196 vectors, an encoder normalised before each sublayer, no dropout.
struct Vit {
    std::string_view name;
    std::int64_t layers = 12;
    std::int64_t width = 768;
    std::int64_t heads = 12;
    AttentionForm form = AttentionForm::fused;
};

inline constexpr Vit vit_b_16 = {.name = "vit-b-16"};  // 86,567,656
inline constexpr Vit vit_b_16_unfused = {.name = "vit-b-16-unfused",
                                         .form = AttentionForm::unfused};
inline constexpr Vit vit_l_16 = {
    .name = "vit-l-16", .layers = 24, .width = 1024, .heads = 16};  // 304,326,632

Graph build(const Vit& variant, std::int64_t batch);

}  // namespace strata
