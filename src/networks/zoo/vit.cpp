// SPDX-License-Identifier: MIT
#include "networks/zoo/vit.h"

#include <fmt/format.h>

namespace strata {

namespace {

constexpr std::int64_t image_extent = 224;
constexpr std::int64_t patch_extent = 16;
constexpr std::int64_t patches = (image_extent / patch_extent) * (image_extent / patch_extent);
constexpr std::int64_t sequence_length = patches + 1;
constexpr double encoder_epsilon = 1e-6;

// [batch, patches, width]
TensorId cut(TransformerLayers& layers, TensorId images) {
    GraphBuilder& builder = layers.builder();
    const TensorId planes = builder.add("conv_proj",
                                        Convolution{.out_channels = layers.width(),
                                                    .kernel = {patch_extent, patch_extent},
                                                    .stride = {patch_extent, patch_extent}},
                                        {images});
    const TensorId flat =
        builder.add("conv_proj.flat", Reshape{{0, layers.width(), patches}}, {planes});
    return builder.add("conv_proj.sequence", Transpose{{0, 2, 1}}, {flat});
}

// The class token before each image's patches, and the learned positions.
Sequences embed_patches(TransformerLayers& layers, TensorId images) {
    GraphBuilder& builder = layers.builder();
    const TensorId vectors = cut(layers, images);
    const TensorId token =
        builder.constant("class_token.weight", Tensor{{1, 1, layers.width()}}, Role::parameter);
    const TensorId places = builder.constant(
        "pos_embedding.weight", Tensor{{1, sequence_length, layers.width()}}, Role::parameter);
    const TensorId tokens = builder.add_with_operands(
        "class_token", Expand{{layers.batch(), 1, layers.width()}}, {token});
    TensorId x = builder.add("sequence", Concat{.axis = 1}, {tokens, vectors});
    x = builder.add_with_operands("pos_embedding", Elementwise{}, {x, places});
    return {layers.rows("rows", x), sequence_length};
}

void encode(TransformerLayers& layers, const Vit& variant, const std::string& name, Sequences& x) {
    const Sequences normal = {layers.normalize(name + ".ln_1", x.rows, encoder_epsilon), x.length};
    x.rows = layers.add(
        name + ".self_attention.residual", x.rows,
        layers.attend(name + ".self_attention", normal, normal, variant.heads, Sight::everything));
    x.rows =
        layers.add(name + ".mlp.residual", x.rows,
                   layers.feed_forward(name + ".mlp",
                                       layers.normalize(name + ".ln_2", x.rows, encoder_epsilon),
                                       4 * variant.width, ActivationKind::gelu));
}

}  // namespace

Graph build(const Vit& variant, std::int64_t batch) {
    TransformerLayers layers(variant.name, batch, variant.width, variant.form);
    GraphBuilder& builder = layers.builder();
    Sequences x = embed_patches(
        layers, builder.input("data", Tensor{{batch, 3, image_extent, image_extent}}));
    for (std::int64_t i = 0; i < variant.layers; ++i) {
        encode(layers, variant, fmt::format("encoder.{}", i), x);
    }
    TensorId y = layers.normalize("ln", x.rows, encoder_epsilon);
    y = builder.add("ln.sequence", Reshape{{batch, sequence_length, variant.width}}, {y});
    y = builder.add("class", Slice{.axes = {1}, .starts = {0}, .extents = {1}}, {y});
    return layers.with_loss(layers.linear("head", layers.rows("class.rows", y), 1000));
}

}  // namespace strata
