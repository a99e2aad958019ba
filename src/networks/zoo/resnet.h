// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/chain.h"

#include <array>

namespace strata {

enum class ResidualBlock { basic, bottleneck };

// Which convolution of a bottleneck block halves the plane: the first 1x1 (He et al. 2015, "v1") or
// the 3x3 in the middle (torchvision, "v1.5"). The parameters are the same; the work is not.
enum class StridePlacement { first_1x1, middle_3x3 };

// Whether a shortcut between equal shapes is the block's own input or a 1x1 convolution.
enum class Projection { where_needed, always };

// One residual block (He et al. 2015): the prefix of its layers' names, the channels of its inner
// convolutions and of its result, and its stride. A basic block is two 3x3 of `outer`.
struct ResidualUnit {
    std::string prefix;
    ResidualBlock block = ResidualBlock::bottleneck;
    std::int64_t inner = 0;
    std::int64_t outer = 0;
    std::int64_t stride = 1;
    std::int64_t groups = 1;  // of the 3x3 in the middle (Xie et al. 2016)
    StridePlacement placement = StridePlacement::middle_3x3;
    Projection projection = Projection::where_needed;
};

// Appends conv1 bn1 relu1 conv2 bn2 [relu2 conv3 bn3], downsample, add and the last ReLU.
void add_residual(Chain& chain, const ResidualUnit& unit);

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

// conv1 to maxpool; they reduce each side of the image to a quarter.
void add_resnet_stem(Chain& chain);

// The blocks of a stage, counted from 0; the first one strides.
void add_resnet_stage(Chain& chain, const ResNet& variant, std::size_t stage, std::int64_t stride);

Graph build(const ResNet& variant, std::int64_t batch);

}  // namespace strata
