// SPDX-License-Identifier: MIT
#pragma once

#include "graph/builder.h"

namespace strata::testing {

// A network with a bit of everything that runs in a millisecond: convolutions (one grouped, one
// strided), normalisations, both poolings, a residual sum and a concatenation (tensors with several
// readers), dropout, a fully connected layer and a loss.
inline Graph small_network(std::int64_t batch = 4) {
    GraphBuilder b("small");
    const TensorId data = b.input("data", {{batch, 3, 9, 9}});
    const TensorId conv = b.add(
        "conv",
        Convolution{.out_channels = 8, .kernel = {3, 3}, .pad_begin = {1, 1}, .pad_end = {1, 1}},
        {data});
    const TensorId lrn = b.add("lrn", Lrn{.size = 3, .alpha = 0.1}, {conv});
    const TensorId relu = b.add("relu", Activation{}, {lrn});
    const TensorId left = b.add("left",
                                Convolution{.out_channels = 8,
                                            .kernel = {3, 3},
                                            .pad_begin = {1, 1},
                                            .pad_end = {1, 1},
                                            .groups = 2,
                                            .bias = false},
                                {relu});
    const TensorId norm = b.add("norm", BatchNormalization{}, {left});
    const TensorId sum = b.add("sum", Elementwise{}, {norm, relu});
    const TensorId right = b.add("right",
                                 Pooling{.kind = PoolingKind::average,
                                         .kernel = {3, 3},
                                         .stride = {1, 1},
                                         .pad_begin = {1, 1},
                                         .pad_end = {1, 1}},
                                 {relu});
    const TensorId joined = b.add("joined", Concat{}, {sum, right});
    const TensorId pool =
        b.add("pool", Pooling{.kernel = {2, 2}, .stride = {2, 2}, .ceil_mode = true}, {joined});
    const TensorId tanh = b.add("tanh", Activation{.kind = ActivationKind::tanh}, {pool});
    const TensorId drop = b.add("drop", Dropout{.probability = 0.3}, {tanh});
    const TensorId scores = b.add("scores", FullyConnected{.out_features = 5}, {drop});
    b.add("loss", SoftmaxCrossEntropy{}, {scores});
    return b.finish();
}

}  // namespace strata::testing
