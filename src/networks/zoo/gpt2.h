// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/transformer_layers.h"

namespace strata {

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

}  // namespace strata
