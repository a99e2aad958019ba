// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

namespace strata {

// The networks of soumith/convnet-benchmarks as its Caffe files have them: each convolution with a
// ReLU that has a blob of its own, no LRN, no auxiliary classifiers, no loss. GoogLeNet has a ReLU
// behind its classifier.
Graph convnet_alexnet(std::int64_t batch);
Graph convnet_vgg_a(std::int64_t batch);
Graph convnet_overfeat(std::int64_t batch);
Graph convnet_googlenet(std::int64_t batch);

}  // namespace strata
