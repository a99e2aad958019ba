// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/residual.h"

#include <array>

namespace strata {

// He et al. 2015, 224 x 224, with torchvision's names. The depths of the four stages determine the
// variant.
struct ResNet {
    std::string_view name;
    ResidualBlock block = ResidualBlock::bottleneck;
    std::array<int, 4> depths = {};
    StridePlacement stride = StridePlacement::middle_3x3;
    std::int64_t groups = 1;        // of each 3x3 in a bottleneck, and the width of one of them in
    std::int64_t group_width = 64;  // the first stage (Xie et al. 2016, ResNeXt)
};

inline constexpr ResNet resnet_18 = {
    .name = "resnet-18", .block = ResidualBlock::basic, .depths = {2, 2, 2, 2}};  // 11,689,512
inline constexpr ResNet resnet_34 = {
    .name = "resnet-34", .block = ResidualBlock::basic, .depths = {3, 4, 6, 3}};       // 21,797,672
inline constexpr ResNet resnet_50 = {.name = "resnet-50", .depths = {3, 4, 6, 3}};     // 25,557,032
inline constexpr ResNet resnet_101 = {.name = "resnet-101", .depths = {3, 4, 23, 3}};  // 44,549,160
inline constexpr ResNet resnet_152 = {.name = "resnet-152", .depths = {3, 8, 36, 3}};  // 60,192,808

inline constexpr ResNet resnext_50 = {
    .name = "resnext-50", .depths = {3, 4, 6, 3}, .groups = 32, .group_width = 4};  // 25,028,904

// conv1 to maxpool, which reduce each side of the image to a quarter.
void add_resnet_stem(Chain& chain);

// The blocks of a stage, counted from 0; its first one strides.
void add_resnet_stage(Chain& chain, const ResNet& variant, std::size_t stage, std::int64_t stride);

Graph build(const ResNet& variant, std::int64_t batch);

}  // namespace strata
