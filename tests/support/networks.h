// SPDX-License-Identifier: MIT
#pragma once

#include "graph/builder.h"

namespace strata {

// Small networks that tests of several modules share.

// Convolution, ReLU, pooling, fully connected and loss: a chain of the common layers.
inline Graph small_chain(std::int64_t batch = 2) {
    GraphBuilder build("chain");
    const TensorId data = build.input("data", {{batch, 3, 8, 8}});
    TensorId x = build.add(
        "conv1",
        Convolution{.out_channels = 4, .kernel = {3, 3}, .pad_begin = {1, 1}, .pad_end = {1, 1}},
        {data});
    x = build.add("relu1", Activation{}, {x});
    x = build.add("pool1", Pooling{.kernel = {2, 2}, .stride = {2, 2}}, {x});
    x = build.add("fc2", FullyConnected{.out_features = 10}, {x});
    const TensorId labels = build.input("labels", {{batch}, DataType::s64}, Role::label);
    build.add("loss", SoftmaxCrossEntropy{}, {x, labels});
    return build.finish();
}

// Two convolutions read one tensor and are joined: gradients are added where the graph branches.
inline Graph small_diamond(std::int64_t batch = 2) {
    GraphBuilder build("diamond");
    const Convolution pointwise = {.out_channels = 4, .kernel = {1, 1}};
    const TensorId data = build.input("data", {{batch, 3, 4, 4}});
    const TensorId stem = build.add("stem", pointwise, {data});
    const TensorId left = build.add("left", pointwise, {stem});
    const TensorId right = build.add("right", pointwise, {stem});
    build.add("join", Concat{}, {left, right});
    return build.finish();
}

// The layer of this name; the number of layers where there is none.
inline LayerId layer_named(const Graph& graph, std::string_view name) {
    LayerId id = 0;
    while (id < graph.layers.size() && graph.layers[id].name != name) {
        ++id;
    }
    return id;
}

// The tensor of this name; the number of tensors where there is none.
inline TensorId tensor_named(const Graph& graph, std::string_view name) {
    TensorId id = 0;
    while (id < graph.tensors.size() && graph.tensors[id].name != name) {
        ++id;
    }
    return id;
}

}  // namespace strata
