// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/transformer_layers.h"

namespace strata {

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

}  // namespace strata
