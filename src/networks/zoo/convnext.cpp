// SPDX-License-Identifier: MIT
#include "networks/zoo/as_published.h"

#include "networks/zoo/transformer_layers.h"

#include <fmt/format.h>

#include <array>

namespace strata {

namespace {

constexpr std::int64_t image_side = 224;
constexpr double norm_epsilon = 1e-6;
constexpr std::array<std::int64_t, 4> plane_widths = {96, 192, 384, 768};
constexpr std::array<std::int64_t, 4> block_counts = {3, 3, 9, 3};

// To channels last, or back.
TensorId channels_last(TransformerLayers& layers, const std::string& name, TensorId x) {
    return layers.builder().add(name, Transpose{{0, 2, 3, 1}}, {x});
}

TensorId channels_first(TransformerLayers& layers, const std::string& name, TensorId x) {
    return layers.builder().add(name, Transpose{{0, 3, 1, 2}}, {x});
}

// Normalises the channels of each position of a plane.
TensorId normalize_planes(TransformerLayers& layers, const std::string& name, TensorId x) {
    const TensorId last = channels_last(layers, name + ".last", x);
    return channels_first(layers, name + ".first", layers.normalize(name, last, norm_epsilon));
}

// Each patch of side x side becomes one position.
TensorId cut(TransformerLayers& layers, const std::string& name, TensorId x, std::int64_t width,
             std::int64_t side) {
    const Convolution window = {
        .out_channels = width, .kernel = {side, side}, .stride = {side, side}};
    return layers.builder().add(name, window, {x});
}

TensorId add_block(TransformerLayers& layers, const std::string& name, TensorId x) {
    GraphBuilder& builder = layers.builder();
    const std::int64_t width = builder.tensor(x).dims[1];
    const Convolution depthwise = {.out_channels = width,
                                   .kernel = {7, 7},
                                   .pad_begin = {3, 3},
                                   .pad_end = {3, 3},
                                   .groups = width};
    TensorId y = builder.add(name + ".depthwise", depthwise, {x});
    y = layers.normalize(name + ".norm", channels_last(layers, name + ".last", y), norm_epsilon);
    y = channels_first(layers, name + ".first", layers.mix_channels(name + ".mlp", y, ".places"));
    const TensorId scale =
        builder.constant(name + ".scale.weight", Tensor{{width, 1, 1}}, Role::parameter);
    y = builder.add_with_operands(name + ".scale", Elementwise{ElementwiseKind::multiply},
                                  {y, scale});
    return layers.add(name + ".residual", x, y);
}

}  // namespace

Graph convnext_tiny(std::int64_t batch) {
    TransformerLayers layers("convnext-tiny", batch, plane_widths[0], AttentionForm::fused);
    GraphBuilder& builder = layers.builder();
    TensorId x = builder.input("data", Tensor{{batch, 3, image_side, image_side}});
    x = cut(layers, "stem", x, plane_widths[0], 4);
    x = normalize_planes(layers, "stem.norm", x);
    for (std::size_t stage = 0; stage < plane_widths.size(); ++stage) {
        const std::string name = fmt::format("stage{}", stage + 1);
        if (stage > 0) {
            x = normalize_planes(layers, name + ".downsample.norm", x);
            x = cut(layers, name + ".downsample", x, plane_widths[stage], 2);
        }
        for (std::int64_t block = 0; block < block_counts[stage]; ++block) {
            x = add_block(layers, fmt::format("{}.{}", name, block), x);
        }
    }
    x = builder.add("pool", Reduction{ReductionKind::mean, {2, 3}, false}, {x});
    x = layers.normalize("pool.norm", x, norm_epsilon);
    return layers.with_loss(layers.linear("head", x, 1000));
}

}  // namespace strata
