// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/classifier.h"

#include <array>

namespace strata {

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

// The net whose operations Levinthal counted: the same channels on 227 x 227 without padding.
inline constexpr AlexNet levinthal_alexnet = {.name = "alexnet-levinthal",
                                              .channels = {64, 192, 384, 256, 256},
                                              .classifier = Classifier::torchvision};

Graph build(const AlexNet& variant, std::int64_t batch);

}  // namespace strata
