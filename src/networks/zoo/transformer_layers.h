// SPDX-License-Identifier: MIT
#pragma once

#include "graph/builder.h"

namespace strata {

// One attention layer, or the layers that it consists of: matmul, scale, mask, softmax, matmul,
// with reshapes and transposes that bring the heads to the front.
enum class AttentionForm { fused, unfused };

// Whether a query sees later positions.
enum class Sight { everything, past };

// Sequences of vectors. The positions of all sequences are the rows of a matrix [batch * length,
// width], which is the input of almost all layers of a Transformer.
struct Sequences {
    TensorId rows = 0;
    std::int64_t length = 0;
};

// Building blocks of the zoo's Transformers. Layers have the names of published implementations if
// those exist.
class TransformerLayers {
public:
    // Throws Error (usage) if the batch is not positive.
    TransformerLayers(std::string_view name, std::int64_t batch, std::int64_t width,
                      AttentionForm form);

    GraphBuilder& builder() { return builder_; }
    std::int64_t batch() const { return batch_; }
    std::int64_t width() const { return width_; }

    // Token ids from outside: [batch, length].
    TensorId tokens(const std::string& name, std::int64_t length);
    // A constant with these values.
    TensorId constant(const std::string& name, Dims dims, const std::vector<float>& values);
    TensorId indices(const std::string& name, std::vector<std::int64_t> values);
    // 0, 1, 2 ... length - 1 as indices into a table of positions.
    TensorId numbers(const std::string& name, std::int64_t length);

    TensorId linear(const std::string& name, TensorId x, std::int64_t features);
    TensorId add(const std::string& name, TensorId a, TensorId b);
    TensorId normalize(const std::string& name, TensorId x, double epsilon = 1e-5);
    // Adds no layer if the probability is 0. Dropouts draw different masks: each has its own seed.
    TensorId dropout(const std::string& name, TensorId x, double probability);
    TensorId activate(const std::string& name, TensorId x, ActivationKind kind);
    // Reshapes [batch, length, width], or anything with the same number of elements, to rows of
    // this width.
    TensorId rows(const std::string& name, TensorId x);

    // Queries, keys, values and the result are projected with biases (Vaswani et al. 2017, 3.2.2).
    TensorId attend(const std::string& name, const Sequences& queries, const Sequences& keys,
                    std::int64_t heads, Sight sight);

    // linear, function, linear
    TensorId feed_forward(const std::string& name, TensorId x, std::int64_t inner,
                          ActivationKind kind);

    // The same over the channels (the last axis) of each position of a plane, with GELU and four
    // times as many channels inside. The result is called name + last.
    TensorId mix_channels(const std::string& name, TensorId x, const std::string& last);

    // Scores [rows, classes] against the input "labels".
    Graph with_loss(TensorId scores);

private:
    TensorId fused(const std::string& name, const std::array<TensorId, 3>& projected,
                   std::int64_t queries, std::int64_t keys, std::int64_t heads, Sight sight);
    TensorId unfused(const std::string& name, const std::array<TensorId, 3>& projected,
                     std::int64_t queries, std::int64_t keys, std::int64_t heads, Sight sight);
    TensorId probabilities(const std::string& name, TensorId q, TensorId k, Sight sight);
    TensorId by_head(const std::string& name, TensorId x, std::int64_t length, std::int64_t heads);
    TensorId mask(std::int64_t queries, std::int64_t keys);

    GraphBuilder builder_;
    std::int64_t batch_ = 1;
    std::int64_t width_ = 1;
    AttentionForm form_ = AttentionForm::fused;
    std::int64_t dropouts_ = 0;
    std::optional<TensorId> mask_;
};

}  // namespace strata
