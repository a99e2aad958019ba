// SPDX-License-Identifier: MIT
#include "networks/zoo/transformer.h"

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

}  // namespace strata
