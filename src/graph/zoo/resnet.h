// SPDX-License-Identifier: MIT
#pragma once

#include "graph/zoo/chain.h"

#include <array>

namespace strata {

enum class ResidualBlock { basic, bottleneck };

// Which convolution of a bottleneck block halves the plane: the first 1x1 (He et al. 2015, "v1") or
// the 3x3 in its middle (torchvision, "v1.5"). The parameters are the same, the work is not.
enum class StridePlacement { first_1x1, middle_3x3 };

// He et al. 2015, 224 x 224, with torchvision's names. The depths of the four stages make the
// variant.
struct ResNet {
    std::string_view name;
    ResidualBlock block = ResidualBlock::bottleneck;
    std::array<int, 4> depths = {};
    StridePlacement stride = StridePlacement::middle_3x3;
};

inline constexpr ResNet resnet_18 = {
    .name = "resnet-18", .block = ResidualBlock::basic, .depths = {2, 2, 2, 2}};  // 11,689,512
inline constexpr ResNet resnet_34 = {
    .name = "resnet-34", .block = ResidualBlock::basic, .depths = {3, 4, 6, 3}};       // 21,797,672
inline constexpr ResNet resnet_50 = {.name = "resnet-50", .depths = {3, 4, 6, 3}};     // 25,557,032
inline constexpr ResNet resnet_101 = {.name = "resnet-101", .depths = {3, 4, 23, 3}};  // 44,549,160
inline constexpr ResNet resnet_152 = {.name = "resnet-152", .depths = {3, 8, 36, 3}};  // 60,192,808

Graph build(const ResNet& variant, std::int64_t batch);

}  // namespace strata
