// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/chain.h"

#include <array>

namespace strata {

// The last layers of AlexNet and VGG, around three fully connected ones (4096, 4096, 1000).
enum class Classifier {
    caffe,        // fc6 relu6 drop6 fc7 relu7 drop7 fc8 loss
    torchvision,  // drop5 fc6 relu6 drop6 fc7 relu7 fc8 loss
    dnnmark,      // fc6 relu6 fc7 relu7 fc8 softmax: no dropout, no loss
};

// The finished network.
Graph with_classifier(Chain chain, Classifier classifier);

// Whether local response normalisation follows the first two ReLUs.
enum class ResponseNormalization { none, across_channels };

// The parameters in which the published AlexNets differ: a network's name does not identify it.
struct AlexNet {
    std::string_view name;
    std::int64_t image = 227;
    std::int64_t conv1_pad = 0;
    std::array<std::int64_t, 5> channels = {96, 256, 384, 384, 256};
    std::int64_t groups = 1;  // of conv2, conv4 and conv5
    ResponseNormalization normalization = ResponseNormalization::none;
    Classifier classifier = Classifier::caffe;
};

// Krizhevsky et al. 2012 as in Caffe: two groups, conv relu lrn pool. 60,965,224 parameters.
inline constexpr AlexNet grouped_alexnet = {
    .name = "alexnet", .groups = 2, .normalization = ResponseNormalization::across_channels};

// The same without groups, layer for layer DNNMark's alexnet.dnnmark (Dong et al. 2018; also the
// network of Kim et al. 2017). 62,378,344 parameters.
inline constexpr AlexNet ungrouped_alexnet = {
    .name = "alexnet-ungrouped",
    .normalization = ResponseNormalization::across_channels,
    .classifier = Classifier::dnnmark};

// "One weird trick" (Krizhevsky 2014), torchvision's: no LRN, 224 x 224. 61,100,840 parameters.
inline constexpr AlexNet one_weird_trick_alexnet = {.name = "alexnet-owt",
                                                    .image = 224,
                                                    .conv1_pad = 2,
                                                    .channels = {64, 192, 384, 256, 256},
                                                    .classifier = Classifier::torchvision};

// The network whose operations Levinthal counted: the same channels on 227 x 227, no padding.
inline constexpr AlexNet levinthal_alexnet = {.name = "alexnet-levinthal",
                                              .channels = {64, 192, 384, 256, 256},
                                              .classifier = Classifier::torchvision};

Graph build(const AlexNet& variant, std::int64_t batch);

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
