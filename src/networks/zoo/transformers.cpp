// SPDX-License-Identifier: MIT
#include "networks/zoo/transformers.h"

#include <fmt/format.h>

#include <cmath>

namespace strata {

namespace {

// sin(position / 10000^(2i / width)) and cos of it, alternating (section 3.5).
std::vector<float> sinusoids(std::int64_t length, std::int64_t width) {
    std::vector<float> values;
    for (std::int64_t position = 0; position < length; ++position) {
        for (std::int64_t i = 0; i < width; ++i) {
            const double exponent = static_cast<double>(i / 2 * 2) / static_cast<double>(width);
            const double angle = static_cast<double>(position) / std::pow(10'000.0, exponent);
            values.push_back(static_cast<float>(i % 2 == 0 ? std::sin(angle) : std::cos(angle)));
        }
    }
    return values;
}

// One network under construction.
class Builder {
public:
    Builder(const Transformer& variant, std::int64_t batch)
        : v_(variant), layers_(variant.name, batch, variant.width, variant.form) {}

    Graph run() {
        const TensorId source_tokens = layers_.tokens("source", v_.length);
        const TensorId target_tokens = layers_.tokens("target", v_.length);
        table_ = layers_.builder().constant("embedding.weight", Tensor{{v_.vocabulary, v_.width}},
                                            Role::parameter);
        factor_ =
            layers_.constant("embedding.factor", {1}, {static_cast<float>(std::sqrt(v_.width))});
        positions_ =
            layers_.constant("positions", {v_.length, v_.width}, sinusoids(v_.length, v_.width));
        Sequences source = embed("encoder", source_tokens);
        for (std::int64_t i = 0; i < v_.layers; ++i) {
            encode(fmt::format("encoder.{}", i), source);
        }
        Sequences target = embed("decoder", target_tokens);
        for (std::int64_t i = 0; i < v_.layers; ++i) {
            decode(fmt::format("decoder.{}", i), target, source);
        }
        return layers_.with_loss(layers_.builder().add_with_operands(
            "scores", MatMul{.transpose_b = true}, {target.rows, table_}));
    }

private:
    // Section 3.4: the embedding's rows times the square root of the width.
    Sequences embed(const std::string& name, TensorId tokens) {
        GraphBuilder& builder = layers_.builder();
        TensorId x = builder.add_with_operands(
            name + ".embedding", Embedding{v_.vocabulary, v_.width}, {tokens, table_});
        x = builder.add(name + ".embedding.scaled", Elementwise{ElementwiseKind::multiply},
                        {x, factor_});
        x = layers_.add(name + ".embedding.position", x, positions_);
        x = layers_.rows(name + ".embedding.rows", x);
        return {layers_.dropout(name + ".embedding.dropout", x, v_.dropout), v_.length};
    }

    // LayerNorm(x + Sublayer(x)), section 3.1.
    void close(const std::string& name, Sequences& x, TensorId sublayer) {
        const TensorId dropped = layers_.dropout(name + ".dropout", sublayer, v_.dropout);
        x.rows =
            layers_.normalize(name + ".norm", layers_.add(name + ".residual", x.rows, dropped));
    }

    void attend(const std::string& name, Sequences& x, const Sequences& keys, Sight sight) {
        close(name, x, layers_.attend(name, x, keys, v_.heads, sight));
    }

    void feed_forward(const std::string& name, Sequences& x) {
        close(name, x, layers_.feed_forward(name, x.rows, v_.inner, ActivationKind::relu));
    }

    void encode(const std::string& name, Sequences& x) {
        attend(name + ".self_attention", x, x, Sight::everything);
        feed_forward(name + ".feed_forward", x);
    }

    void decode(const std::string& name, Sequences& x, const Sequences& memory) {
        attend(name + ".self_attention", x, x, Sight::past);
        attend(name + ".cross_attention", x, memory, Sight::everything);
        feed_forward(name + ".feed_forward", x);
    }

    const Transformer& v_;
    TransformerLayers layers_;
    TensorId table_ = 0;
    TensorId factor_ = 0;
    TensorId positions_ = 0;
};

}  // namespace

Graph build(const Transformer& variant, std::int64_t batch) {
    return Builder(variant, batch).run();
}

namespace {

constexpr double epsilon = 1e-12;

// The sum of the embeddings of tokens, segments and positions, normalised.
Sequences embed(TransformerLayers& layers, const Bert& variant) {
    GraphBuilder& builder = layers.builder();
    const TensorId tokens = layers.tokens("tokens", variant.length);
    const TensorId segments = layers.tokens("segments", variant.length);
    const TensorId words =
        builder.add("embeddings.words", Embedding{variant.vocabulary, variant.width}, {tokens});
    const TensorId kinds =
        builder.add("embeddings.segments", Embedding{variant.segments, variant.width}, {segments});
    const TensorId places =
        builder.add("embeddings.positions", Embedding{variant.positions, variant.width},
                    {layers.numbers("position_numbers", variant.length)});
    TensorId x = builder.add("embeddings.sum", Elementwise{}, {words, kinds, places});
    x = layers.normalize("embeddings.norm", layers.rows("embeddings.rows", x), epsilon);
    return {layers.dropout("embeddings.dropout", x, variant.dropout), variant.length};
}

void encode(TransformerLayers& layers, const Bert& variant, const std::string& name, Sequences& x) {
    const auto close = [&](const std::string& sublayer, TensorId result) {
        const TensorId dropped = layers.dropout(sublayer + ".dropout", result, variant.dropout);
        x.rows = layers.normalize(sublayer + ".norm",
                                  layers.add(sublayer + ".residual", x.rows, dropped), epsilon);
    };
    close(name + ".attention",
          layers.attend(name + ".attention", x, x, variant.heads, Sight::everything));
    close(name + ".feed_forward", layers.feed_forward(name + ".feed_forward", x.rows,
                                                      4 * variant.width, ActivationKind::gelu));
}

// Applies a linear layer and tanh to the first token.
TensorId pool(TransformerLayers& layers, const Sequences& x) {
    GraphBuilder& builder = layers.builder();
    const TensorId all = builder.add("pooler.sequence",
                                     Reshape{{layers.batch(), x.length, layers.width()}}, {x.rows});
    const TensorId first =
        builder.add("pooler.first", Slice{.axes = {1}, .starts = {0}, .extents = {1}}, {all});
    const TensorId flat = layers.rows("pooler.rows", first);
    return layers.activate("pooler.tanh", layers.linear("pooler.dense", flat, layers.width()),
                           ActivationKind::tanh);
}

}  // namespace

Graph build(const Bert& variant, std::int64_t batch) {
    TransformerLayers layers(variant.name, batch, variant.width, variant.form);
    Sequences x = embed(layers, variant);
    for (std::int64_t i = 0; i < variant.layers; ++i) {
        encode(layers, variant, fmt::format("encoder.{}", i), x);
    }
    const TensorId pooled = layers.dropout("dropout", pool(layers, x), variant.dropout);
    return layers.with_loss(layers.linear("classifier", pooled, 2));
}

namespace {

Sequences embed(TransformerLayers& layers, const Gpt2& variant, TensorId table) {
    GraphBuilder& builder = layers.builder();
    const TensorId tokens = layers.tokens("tokens", variant.length);
    const TensorId words = builder.add_with_operands(
        "wte", Embedding{variant.vocabulary, variant.width}, {tokens, table});
    const TensorId places = builder.add("wpe", Embedding{variant.length, variant.width},
                                        {layers.numbers("position_numbers", variant.length)});
    const TensorId x = layers.rows("embedding.rows", layers.add("embedding", words, places));
    return {layers.dropout("embedding.dropout", x, variant.dropout), variant.length};
}

// x + Sublayer(LayerNorm(x)), twice.
void decode(TransformerLayers& layers, const Gpt2& variant, const std::string& name, Sequences& x) {
    const auto close = [&](const std::string& sublayer, TensorId result) {
        x.rows = layers.add(sublayer + ".residual", x.rows,
                            layers.dropout(sublayer + ".dropout", result, variant.dropout));
    };
    const Sequences normal = {layers.normalize(name + ".ln_1", x.rows), x.length};
    close(name + ".attn",
          layers.attend(name + ".attn", normal, normal, variant.heads, Sight::past));
    close(name + ".mlp",
          layers.feed_forward(name + ".mlp", layers.normalize(name + ".ln_2", x.rows),
                              4 * variant.width, ActivationKind::gelu_tanh));
}

}  // namespace

Graph build(const Gpt2& variant, std::int64_t batch) {
    TransformerLayers layers(variant.name, batch, variant.width, variant.form);
    GraphBuilder& builder = layers.builder();
    const TensorId table = builder.constant(
        "wte.weight", Tensor{{variant.vocabulary, variant.width}}, Role::parameter);
    Sequences x = embed(layers, variant, table);
    for (std::int64_t i = 0; i < variant.layers; ++i) {
        decode(layers, variant, fmt::format("h.{}", i), x);
    }
    return layers.with_loss(builder.add_with_operands("lm_head", MatMul{.transpose_b = true},
                                                      {layers.normalize("ln_f", x.rows), table}));
}

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
