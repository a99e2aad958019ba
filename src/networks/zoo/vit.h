// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/transformer_layers.h"

namespace strata {

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
