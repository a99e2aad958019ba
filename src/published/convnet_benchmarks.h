// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

namespace strata {

// The networks of soumith/convnet-benchmarks as in its Caffe files: each convolution has a ReLU
// with a separate blob; no LRN, auxiliary classifiers or loss. GoogLeNet has a ReLU after its
// classifier.
Graph convnet_alexnet(std::int64_t batch);
Graph convnet_vgg_a(std::int64_t batch);
Graph convnet_overfeat(std::int64_t batch);
Graph convnet_googlenet(std::int64_t batch);

}  // namespace strata
