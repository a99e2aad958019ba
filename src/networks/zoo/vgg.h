// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/classifier.h"

#include <array>

namespace strata {

// Simonyan and Zisserman 2014: five blocks of 3x3 convolutions, 224 x 224. The number of
// convolutions in each block determines the variant: A, B, D and E of their Table 1.
struct Vgg {
    std::string_view name;
    std::array<int, 5> depths = {};
    Classifier classifier = Classifier::caffe;
};

inline constexpr Vgg vgg_11 = {.name = "vgg-11", .depths = {1, 1, 2, 2, 2}};  // 132,863,336
inline constexpr Vgg vgg_13 = {.name = "vgg-13", .depths = {2, 2, 2, 2, 2}};  // 133,047,848
inline constexpr Vgg vgg_16 = {.name = "vgg-16", .depths = {2, 2, 3, 3, 3}};  // 138,357,544
inline constexpr Vgg vgg_19 = {.name = "vgg-19", .depths = {2, 2, 4, 4, 4}};  // 143,667,240

Graph build(const Vgg& variant, std::int64_t batch);

}  // namespace strata
