// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

// Networks as published, without a choice of size; those with variants have their own headers.
namespace strata {

// Szegedy et al. 2014, Inception v1, with the names and the ceil-mode pooling of Caffe's
// bvlc_googlenet but without its two auxiliary classifiers. 6,998,552 parameters.
Graph googlenet(std::int64_t batch);

// Iandola et al. 2016. Version 1.1 reduces earlier and costs 2.4 times less for the same accuracy.
enum class SqueezeNet { version_1_0, version_1_1 };  // 1,248,424 and 1,235,496 parameters

// 224 x 224, with the authors' names for the layers.
Graph build(SqueezeNet version, std::int64_t batch);

// Szegedy et al. 2015 ("Rethinking"), Inception v3, 299 x 299, torchvision's layers and names,
// without the auxiliary head. 23,834,568 parameters (27,161,264 with the head).
Graph inception_v3(std::int64_t batch);

// Huang et al. 2016, growth 32, blocks of 6, 12, 24 and 16 layers, 224 x 224, torchvision's names.
// The new channels of every layer are concatenated to all earlier ones. 7,978,856 parameters.
Graph densenet_121(std::int64_t batch);

// Howard et al. 2017: depthwise separable convolutions, ReLU. 4,231,976 parameters.
Graph mobilenet_v1(std::int64_t batch);

// Sandler et al. 2018: inverted residuals with linear bottlenecks, ReLU6, torchvision's sizes.
// 3,504,872 parameters.
Graph mobilenet_v2(std::int64_t batch);

// Howard et al. 2019, 224 x 224: inverted residuals, some with excitation, ReLU or hard swish,
// torchvision's sizes. 5,483,032 and 2,542,856 parameters.
Graph mobilenet_v3_large(std::int64_t batch);
Graph mobilenet_v3_small(std::int64_t batch);

// Ma et al. 2018, version 2, 1.0x, 224 x 224, torchvision's sizes. The first half of a unit's
// channels bypasses it; a reshape, a transpose and a reshape then interleave the channels of the
// two halves. 2,278,604 parameters.
Graph shufflenet_v2(std::int64_t batch);

// Tan and Le 2019, 224 x 224: inverted residuals with excitation and SiLU, without the stochastic
// depth of training, torchvision's sizes. 5,288,548 parameters.
Graph efficientnet_b0(std::int64_t batch);

// SSD (Liu et al. 2016) on ResNet-34 as in MLPerf training v0.5 to v0.7: 300 x 300, the backbone up
// to its third stage, which has stride 1, five more pairs of convolutions, 8,732 boxes of 81
// classes. The classes end in the loss, the boxes in an output whose gradient is given (there is no
// operator for the smooth L1 loss). 19,972,534 parameters. MLPerf inference's 1200 x 1200 network
// is a different one.
Graph ssd_resnet_34(std::int64_t batch);

// The backbone of Mask R-CNN (He et al. 2017) as in torchvision: ResNet-50 with a feature pyramid
// (Lin et al. 2017) on 800 x 1344, which is the published 800 x 1333 padded to multiples of 32.
// Four planes are outputs, whose gradients are given; the fifth is read by the pooling that makes
// the smallest of them. 26,852,416 parameters, including those of batch normalisation, which
// torchvision freezes but which are trained here.
Graph mask_rcnn_backbone(std::int64_t batch);

// Ronneberger et al. 2015 as published: 572 x 572 with one channel, convolutions without padding,
// cropped skip connections, 388 x 388 of two classes with a loss for every pixel. The crop is a Pad
// with negative extents. 31,030,658 parameters, biases included (no normalisation).
Graph unet(std::int64_t batch);

// Minigo as in MLPerf, after Silver et al. 2017 (AlphaGo Zero): 19 x 19, 17 planes, 19 residual
// blocks of 256 channels. Its policy of 362 moves ends in the loss; its value is an output whose
// gradient is given. 22,827,877 parameters.
Graph minigo(std::int64_t batch);

// He et al. 2017, NeuMF, as in MLPerf 0.5 for MovieLens-20M: 138,493 users and 26,744 films,
// factors of 64 multiplied, and of 128 through 256, 128 and 64 units. Two classes where MLPerf has
// one logistic unit: 31,832,706 parameters.
Graph ncf(std::int64_t batch);

// Naumov et al. 2019 with MLPerf's widths: 13 numbers through 512, 256 and 128 units, 26 categories
// embedded in 128, the pairwise products of the 27 vectors, then 1,024, 1,024, 512 and 256 units.
// Its tables are those of the Criteo Kaggle data, cut to 100,000 rows each so that the whole fits
// into memory (MLPerf's have up to 40 million). Two classes where MLPerf has one logistic unit:
// 109,958,658 parameters.
Graph dlrm(std::int64_t batch);

// Liu et al. 2021, as in torchvision: patches of 4 x 4, four stages on planes of 56, 28, 14 and 7.
// Vectors attend to each other within windows of 7 x 7. In every second block the windows are
// shifted by 3, with a mask between vectors that are not neighbours in the plane. Each head adds a
// trained bias by relative position. Between stages four neighbours become one vector. No
// stochastic depth. 28,288,354 parameters.
Graph swin_tiny(std::int64_t batch);

// Liu et al. 2022, as in torchvision: four stages on planes of 56, 28, 14 and 7. A block is a
// depthwise convolution of 7 x 7, a layer normalisation, two linear layers with a GELU between, a
// trained scale for each channel, and the sum with the block's input. No stochastic depth.
// 28,589,128 parameters.
Graph convnext_tiny(std::int64_t batch);

}  // namespace strata
