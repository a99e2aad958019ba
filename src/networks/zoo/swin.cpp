// SPDX-License-Identifier: MIT
#include "networks/zoo/swin.h"

#include "networks/zoo/swin_windows.h"

#include <fmt/format.h>

namespace strata {

namespace {

constexpr std::int64_t image = 224;
constexpr std::int64_t patch = 4;

// [batch, side, side, width]
TensorId embed(TransformerLayers& layers, TensorId images) {
    GraphBuilder& builder = layers.builder();
    const Convolution window = {
        .out_channels = layers.width(), .kernel = {patch, patch}, .stride = {patch, patch}};
    const TensorId planes = builder.add("patches", window, {images});
    return layers.normalize("patches.norm",
                            builder.add("patches.last", Transpose{{0, 2, 3, 1}}, {planes}));
}

// linear, GELU, linear over each position's vector.
TensorId feed_forward(TransformerLayers& layers, const std::string& name, TensorId x) {
    GraphBuilder& builder = layers.builder();
    const Dims dims = builder.tensor(x).dims;
    TensorId y = builder.add(name + ".rows", Reshape{{-1, dims.back()}}, {x});
    y = layers.linear(name + ".inner", y, 4 * dims.back());
    y = layers.activate(name + ".gelu", y, ActivationKind::gelu);
    y = layers.linear(name + ".outer", y, dims.back());
    return builder.add(name + ".plane", Reshape{dims}, {y});
}

TensorId add_block(TransformerLayers& layers, const std::string& name, TensorId x,
                   std::int64_t heads, Windows windows) {
    const TensorId attended = attend_in_windows(
        layers, name + ".attention", layers.normalize(name + ".norm1", x), heads, windows);
    x = layers.add(name + ".attention.residual", x, attended);
    const TensorId mixed =
        feed_forward(layers, name + ".mlp", layers.normalize(name + ".norm2", x));
    return layers.add(name + ".mlp.residual", x, mixed);
}

// Concatenates four neighbours, normalises them, and projects to twice the width.
TensorId merge(TransformerLayers& layers, const std::string& name, TensorId x) {
    GraphBuilder& builder = layers.builder();
    const Dims dims = builder.tensor(x).dims;
    const std::int64_t side = dims[1] / 2, width = dims[3];
    const auto quarter = [&](const char* which, std::int64_t row, std::int64_t column) {
        return builder.add(
            name + which,
            Slice{
                .axes = {1, 2}, .starts = {row, column}, .extents = {side, side}, .steps = {2, 2}},
            {x});
    };
    TensorId y = builder.add(
        name + ".neighbours", Concat{.axis = 3},
        {quarter(".0", 0, 0), quarter(".1", 1, 0), quarter(".2", 0, 1), quarter(".3", 1, 1)});
    y = builder.add(name + ".rows", Reshape{{-1, 4 * width}},
                    {layers.normalize(name + ".norm", y)});
    y = builder.add(name, FullyConnected{.out_features = 2 * width, .bias = false}, {y});
    return builder.add(name + ".plane", Reshape{{dims[0], side, side, 2 * width}}, {y});
}

}  // namespace

Graph build(const Swin& variant, std::int64_t batch) {
    TransformerLayers layers(variant.name, batch, variant.width, AttentionForm::unfused);
    GraphBuilder& builder = layers.builder();
    TensorId x = embed(layers, builder.input("data", Tensor{{batch, 3, image, image}}));
    for (std::size_t stage = 0; stage < variant.depths.size(); ++stage) {
        const std::string name = fmt::format("stage{}", stage + 1);
        if (stage > 0) {
            x = merge(layers, name + ".merge", x);
        }
        for (std::int64_t block = 0; block < variant.depths[stage]; ++block) {
            x = add_block(layers, fmt::format("{}.{}", name, block), x, variant.heads[stage],
                          block % 2 == 0 ? Windows::aligned : Windows::shifted);
        }
    }
    x = builder.add("pool", Reduction{ReductionKind::mean, {1, 2}, false},
                    {layers.normalize("norm", x)});
    return layers.with_loss(layers.linear("head", x, 1000));
}

}  // namespace strata
