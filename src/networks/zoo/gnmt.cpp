// SPDX-License-Identifier: MIT
#include "networks/zoo/words.h"

#include <fmt/format.h>

namespace strata {

namespace {

constexpr std::int64_t words = 32320, width = 1024, length = 50, layers = 4;

// Builds the translation network. Sequences are [length, batch, width] except where attention needs
// them by sentence.
class Translation {
public:
    explicit Translation(std::int64_t batch) : build_("gnmt"), batch_(batch) {}

    Graph run() {
        const TensorId source = embedded("source");
        const TensorId context = encoder(source);
        const TensorId x = decoder(embedded("target"), context);
        const TensorId rows = build_.add("positions", Reshape{.dims = {-1, width}}, {x});
        return with_loss(build_, build_.add("classifier", FullyConnected{words}, {rows}));
    }

private:
    // Both languages share one table.
    TensorId embedded(const std::string& language) {
        const TensorId numbered = numbers(build_, language, {batch_, length});
        const TensorId by_time =
            build_.add(language + ".time_major", Transpose{.permutation = {1, 0}}, {numbered});
        const Embedding op = {.rows = words, .width = width};
        if (!table_) {
            table_ = build_.complete("embedding", op, std::vector{by_time}).at(1);
        }
        return build_.add_with_operands(language + ".embedding", op, {by_time, *table_});
    }

    TensorId dropout(const std::string& name, TensorId x) {
        return build_.add(name, Dropout{.probability = 0.2, .seed = dropouts_++}, {x});
    }

    TensorId lstm(const std::string& name, TensorId x, Direction direction = Direction::forward) {
        return build_.add(name, Recurrent{.hidden = width, .direction = direction},
                          {dropout(name + ".drop", x)});
    }

    TensorId add(const std::string& name, TensorId a, TensorId b) {
        return build_.add(name, Elementwise{}, {a, b});
    }

    TensorId encoder(TensorId x) {
        x = lstm("encoder.1", x, Direction::bidirectional);
        x = lstm("encoder.2", x);
        for (std::int64_t layer = 3; layer <= layers; ++layer) {
            const std::string name = fmt::format("encoder.{}", layer);
            x = add(name + ".residual", lstm(name, x), x);
        }
        return build_.add("context", Transpose{.permutation = {1, 0, 2}}, {x});
    }

    TensorId decoder(TensorId x, TensorId context) {
        x = lstm("decoder.1", x);
        const TensorId found = attention(x, context);
        for (std::int64_t layer = 2; layer <= layers; ++layer) {
            const std::string name = fmt::format("decoder.{}", layer);
            const TensorId both = build_.add(name + ".with_context", Concat{.axis = 2}, {x, found});
            const TensorId y = lstm(name, both);
            x = layer == 2 ? y : add(name + ".residual", y, x);
        }
        return x;
    }

    // [rows, width] times a matrix, and back to these extents.
    TensorId linear(const std::string& name, TensorId x, std::int64_t features, bool bias,
                    const Dims& extents) {
        x = build_.add(name + ".rows", Reshape{.dims = {-1, width}}, {x});
        x = build_.add(name, FullyConnected{.out_features = features, .bias = bias}, {x});
        return build_.add(name + ".extents", Reshape{.dims = extents}, {x});
    }

    // score(t, s) = v . tanh(W q_t + U k_s + b) for every position of the target and the source.
    TensorId attention(TensorId queries, TensorId context) {
        const TensorId by_sentence =
            build_.add("queries", Transpose{.permutation = {1, 0, 2}}, {queries});
        const TensorId q =
            linear("attention.query", by_sentence, width, true, {batch_, length, 1, width});
        const TensorId k =
            linear("attention.key", context, width, false, {batch_, 1, length, width});
        const TensorId meeting =
            build_.add("attention.tanh", Activation{.kind = ActivationKind::tanh},
                       {add("attention.sum", q, k)});
        const TensorId scores =
            linear("attention.score", meeting, 1, false, {batch_, length, length});
        const TensorId shares = build_.add("attention.softmax", Softmax{.axis = -1}, {scores});
        const TensorId found = build_.add("attention.context", MatMul{}, {shares, context});
        return build_.add("attention.time_major", Transpose{.permutation = {1, 0, 2}}, {found});
    }

    GraphBuilder build_;
    std::int64_t batch_;
    std::optional<TensorId> table_;
    std::int64_t dropouts_ = 0;
};

}  // namespace

Graph gnmt(std::int64_t batch) {
    return Translation(batch).run();
}

}  // namespace strata
