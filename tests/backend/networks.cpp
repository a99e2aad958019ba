// SPDX-License-Identifier: MIT
#include "tests/backend/networks.h"

#include "graph/builder.h"

namespace strata::testing {

namespace {

Convolution convolution(std::int64_t channels, std::int64_t kernel, std::int64_t stride = 1) {
    const std::int64_t pad = kernel / 2;
    return {.out_channels = channels,
            .kernel = {kernel, kernel},
            .stride = {stride, stride},
            .pad_begin = {pad, pad},
            .pad_end = {pad, pad}};
}

Pooling pooling(std::int64_t kernel, std::int64_t stride) {
    return {.kernel = {kernel, kernel}, .stride = {stride, stride}, .ceil_mode = true};
}

TensorId normalized(GraphBuilder& builder, const std::string& name, TensorId x,
                    const Convolution& op) {
    const TensorId y = builder.add(name, op, {x});
    return builder.add(name + ".norm", BatchNormalization{}, {y});
}

TensorId block(GraphBuilder& builder, const std::string& name, TensorId x, TensorId shortcut,
               std::int64_t stride) {
    TensorId y = normalized(builder, name + ".1", x, convolution(32, 3, stride));
    y = builder.add(name + ".relu1", Activation{}, {y});
    y = normalized(builder, name + ".2", y, convolution(32, 3));
    y = builder.add(name + ".add", Elementwise{}, {y, shortcut});
    return builder.add(name + ".relu2", Activation{}, {y});
}

}  // namespace

Graph residual_network() {
    GraphBuilder builder("residual");
    TensorId x = builder.input("images", {{4, 3, 16, 16}});
    x = normalized(builder, "stem", x, convolution(32, 3));
    x = builder.add("stem.relu", Activation{}, {x});
    x = block(builder, "a", x, x, 1);
    x = block(builder, "b", x, normalized(builder, "b.shortcut", x, convolution(32, 1, 2)), 2);
    x = builder.add("mean", Pooling{.kind = PoolingKind::average, .global = true}, {x});
    x = builder.add("flat", Reshape{.dims = {0, -1}}, {x});
    x = builder.add("head", FullyConnected{.out_features = 10}, {x});
    builder.add("loss", SoftmaxCrossEntropy{}, {x});
    return builder.finish();
}

Graph branching_network() {
    GraphBuilder builder("branching");
    TensorId x = builder.input("images", {{4, 3, 17, 17}});
    x = builder.add("stem", convolution(32, 3, 2), {x});
    x = builder.add("stem.relu", Activation{}, {x});
    x = builder.add("stem.lrn", Lrn{}, {x});
    const TensorId left = builder.add("left", convolution(16, 1), {x});
    const TensorId left_relu = builder.add("left.relu", Activation{}, {left});
    const TensorId right = builder.add("right", convolution(32, 3), {x});
    const TensorId right_relu = builder.add("right.relu", Activation{}, {right});
    const TensorId pooled = builder.add(
        "pooled", Pooling{.kernel = {3, 3}, .pad_begin = {1, 1}, .pad_end = {1, 1}}, {x});
    x = builder.add("joined", Concat{}, {left_relu, right_relu, pooled});
    x = builder.add("pool", pooling(3, 2), {x});
    x = builder.add("flat", Reshape{.dims = {0, -1}}, {x});
    x = builder.add("drop", Dropout{.probability = 0.4, .seed = 3}, {x});
    x = builder.add("hidden", FullyConnected{.out_features = 24}, {x});
    x = builder.add("hidden.relu", Activation{}, {x});
    x = builder.add("head", FullyConnected{.out_features = 10}, {x});
    builder.add("loss", SoftmaxCrossEntropy{}, {x});
    return builder.finish();
}

Graph fusable_chain(bool bias, bool normalized, bool sum) {
    GraphBuilder builder("chain");
    const TensorId data = builder.input("data", {{2, 8, 9, 9}});
    TensorId x = builder.add("before", Convolution{.out_channels = 16, .kernel = {1, 1}}, {data});
    const TensorId shortcut = x;
    Convolution op = convolution(16, 3);
    op.bias = bias;
    x = builder.add("conv", op, {x});
    x = normalized ? builder.add("norm", BatchNormalization{}, {x}) : x;
    x = sum ? builder.add("sum", Elementwise{}, {x, shortcut}) : x;
    x = builder.add("relu", Activation{}, {x});
    builder.add("head", pooling(3, 3), {x});  // no overlap, because bf16 rounds sums of gradients
    return builder.finish();
}

}  // namespace strata::testing
