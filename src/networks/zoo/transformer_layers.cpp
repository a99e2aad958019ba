// SPDX-License-Identifier: MIT
#include "networks/zoo/transformer_layers.h"

#include "networks/zoo/chain.h"
#include "networks/zoo/words.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace strata {

namespace {

template <class Value>
TensorData data_of(std::vector<Value> values) {
    const auto owner = std::make_shared<const std::vector<Value>>(std::move(values));
    return {std::as_bytes(std::span(*owner)), owner};
}

}  // namespace

TransformerLayers::TransformerLayers(std::string_view name, std::int64_t batch, std::int64_t width,
                                     AttentionForm form)
    : builder_(std::string(name)), batch_(positive_batch(batch)), width_(width), form_(form) {}

TensorId TransformerLayers::tokens(const std::string& name, std::int64_t length) {
    return builder_.input(name, Tensor{{batch_, length}, DataType::s64});
}

TensorId TransformerLayers::constant(const std::string& name, Dims dims,
                                     const std::vector<float>& values) {
    return builder_.constant(name, Tensor{std::move(dims)}, Role::constant, data_of(values));
}

TensorId TransformerLayers::numbers(const std::string& name, std::int64_t length) {
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < length; ++i) {
        values.push_back(i);
    }
    return indices(name, std::move(values));
}

TensorId TransformerLayers::indices(const std::string& name, std::vector<std::int64_t> values) {
    const auto count = static_cast<std::int64_t>(values.size());
    return builder_.constant(name, Tensor{{count}, DataType::s64}, Role::constant,
                             data_of(std::move(values)));
}

TensorId TransformerLayers::linear(const std::string& name, TensorId x, std::int64_t features) {
    return builder_.add(name, FullyConnected{features}, {x});
}

TensorId TransformerLayers::add(const std::string& name, TensorId a, TensorId b) {
    return builder_.add(name, Elementwise{}, {a, b});
}

TensorId TransformerLayers::normalize(const std::string& name, TensorId x, double epsilon) {
    return builder_.add(name, LayerNormalization{.epsilon = epsilon}, {x});
}

TensorId TransformerLayers::dropout(const std::string& name, TensorId x, double probability) {
    return probability == 0
               ? x
               : builder_.add(name, Dropout{.probability = probability, .seed = dropouts_++}, {x});
}

TensorId TransformerLayers::activate(const std::string& name, TensorId x, ActivationKind kind) {
    return builder_.add(name, Activation{kind}, {x});
}

TensorId TransformerLayers::rows(const std::string& name, TensorId x) {
    return builder_.add(name, Reshape{{-1, width_}}, {x});
}

TensorId TransformerLayers::attend(const std::string& name, const Sequences& queries,
                                   const Sequences& keys, std::int64_t heads, Sight sight) {
    const std::array projected = {linear(name + ".query", queries.rows, width_),
                                  linear(name + ".key", keys.rows, width_),
                                  linear(name + ".value", keys.rows, width_)};
    const TensorId y = form_ == AttentionForm::fused
                           ? fused(name, projected, queries.length, keys.length, heads, sight)
                           : unfused(name, projected, queries.length, keys.length, heads, sight);
    return linear(name + ".output", rows(name + ".rows", y), width_);
}

TensorId TransformerLayers::fused(const std::string& name, const std::array<TensorId, 3>& projected,
                                  std::int64_t queries, std::int64_t keys, std::int64_t heads,
                                  Sight sight) {
    const auto sequence = [&](const char* which, TensorId x, std::int64_t length) {
        return builder_.add(name + which, Reshape{{batch_, length, width_}}, {x});
    };
    return builder_.add(name + ".attention",
                        Attention{.heads = heads, .causal = sight == Sight::past},
                        {sequence(".query.sequence", projected[0], queries),
                         sequence(".key.sequence", projected[1], keys),
                         sequence(".value.sequence", projected[2], keys)});
}

TensorId TransformerLayers::unfused(const std::string& name,
                                    const std::array<TensorId, 3>& projected, std::int64_t queries,
                                    std::int64_t keys, std::int64_t heads, Sight sight) {
    const TensorId q = by_head(name + ".query", projected[0], queries, heads);
    const TensorId k = by_head(name + ".key", projected[1], keys, heads);
    const TensorId v = by_head(name + ".value", projected[2], keys, heads);
    const TensorId p = probabilities(name, q, k, sight);
    const TensorId y = builder_.add(name + ".weighted", MatMul{}, {p, v});
    return builder_.add(name + ".joined", Transpose{{0, 2, 1, 3}}, {y});
}

TensorId TransformerLayers::probabilities(const std::string& name, TensorId q, TensorId k,
                                          Sight sight) {
    const auto& extents = builder_.tensor(q).dims;
    const std::int64_t queries = extents[2], keys = builder_.tensor(k).dims[2];
    const auto root = static_cast<float>(1 / std::sqrt(static_cast<double>(extents[3])));
    const TensorId factor = constant(name + ".factor", {1}, {root});
    TensorId scores = builder_.add(name + ".scores", MatMul{.transpose_b = true}, {q, k});
    scores =
        builder_.add(name + ".scaled", Elementwise{ElementwiseKind::multiply}, {scores, factor});
    if (sight == Sight::past) {
        scores = add(name + ".masked", scores, mask(queries, keys));
    }
    return builder_.add(name + ".softmax", Softmax{.axis = -1}, {scores});
}

// [rows, heads * D] -> [batch, heads, length, D]
TensorId TransformerLayers::by_head(const std::string& name, TensorId x, std::int64_t length,
                                    std::int64_t heads) {
    const TensorId split =
        builder_.add(name + ".split", Reshape{{batch_, length, heads, width_ / heads}}, {x});
    return builder_.add(name + ".by_head", Transpose{{0, 2, 1, 3}}, {split});
}

// Added to the scores: hidden keys get a probability of 0. Shared by all layers.
TensorId TransformerLayers::mask(std::int64_t queries, std::int64_t keys) {
    if (!mask_) {
        std::vector<float> values;
        for (std::int64_t query = 0; query < queries; ++query) {
            for (std::int64_t key = 0; key < keys; ++key) {
                values.push_back(key > query ? std::numeric_limits<float>::lowest() : 0.0F);
            }
        }
        mask_ = constant("causal_mask", {queries, keys}, values);
    }
    return *mask_;
}

TensorId TransformerLayers::feed_forward(const std::string& name, TensorId x, std::int64_t inner,
                                         ActivationKind kind) {
    const TensorId wide =
        activate(name + "." + std::string(names_of(kind).at(static_cast<std::size_t>(kind))),
                 linear(name + ".inner", x, inner), kind);
    return linear(name + ".outer", wide, width_);
}

TensorId TransformerLayers::mix_channels(const std::string& name, TensorId x,
                                         const std::string& last) {
    const Dims dims = builder_.tensor(x).dims;
    const std::int64_t width = dims.back();
    TensorId y = builder_.add(name + ".rows", Reshape{{-1, width}}, {x});
    y = linear(name + ".inner", y, 4 * width);
    y = activate(name + ".gelu", y, ActivationKind::gelu);
    y = linear(name + ".outer", y, width);
    return builder_.add(name + last, Reshape{dims}, {y});
}

Graph TransformerLayers::with_loss(TensorId scores) {
    return strata::with_loss(builder_, scores);
}

}  // namespace strata
