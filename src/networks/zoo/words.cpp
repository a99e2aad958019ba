// SPDX-License-Identifier: MIT
#include "networks/zoo/words.h"

#include "networks/zoo/chain.h"

#include <fmt/format.h>

namespace strata {

TensorId numbers(GraphBuilder& builder, const std::string& name, const Dims& dims) {
    positive_batch(dims.at(0));
    return builder.input(name, {dims, DataType::s64});
}

Graph with_loss(GraphBuilder& builder, TensorId scores) {
    const std::int64_t rows = builder.tensor(scores).dims.at(0);
    const TensorId labels = builder.input("labels", {{rows}, DataType::s64}, Role::label);
    return builder.finish({builder.add("loss", SoftmaxCrossEntropy{}, {scores, labels})});
}

Graph lstm_ptb(std::int64_t batch) {
    constexpr std::int64_t length = 32, words = 10000, width = 1024;
    GraphBuilder build("lstm-ptb");
    TensorId x = numbers(build, "words", {batch, length});
    x = build.add("time_major", Transpose{.permutation = {1, 0}}, {x});
    x = build.add("embedding", Embedding{.rows = words, .width = width}, {x});
    x = build.add("drop0", Dropout{.probability = 0.5, .seed = 0}, {x});
    x = build.add("lstm1", Recurrent{.hidden = width}, {x});
    x = build.add("drop1", Dropout{.probability = 0.5, .seed = 1}, {x});
    x = build.add("lstm2", Recurrent{.hidden = width}, {x});
    x = build.add("drop2", Dropout{.probability = 0.5, .seed = 2}, {x});
    x = build.add("positions", Reshape{.dims = {-1, width}}, {x});
    return with_loss(build, build.add("projection", FullyConnected{words}, {x}));
}

Graph lstm_sentiment(std::int64_t batch) {
    constexpr std::int64_t length = 80, words = 20000, width = 128;
    GraphBuilder build("lstm-sentiment");
    TensorId x = numbers(build, "words", {batch, length});
    x = build.add("time_major", Transpose{.permutation = {1, 0}}, {x});
    x = build.add("embedding", Embedding{.rows = words, .width = width}, {x});
    const TensorId every = build.add("lstm", Recurrent{.hidden = width, .final_state = true}, {x});
    const TensorId last = every + 1;  // a layer's results are consecutive: h is the second
    x = build.add("last", Reshape{.dims = {-1, width}}, {last});
    return with_loss(build, build.add("sentiment", FullyConnected{2}, {x}));
}

Graph text_cnn(std::int64_t batch) {
    constexpr std::int64_t length = 56, words = 18765, width = 300, filters = 100;
    GraphBuilder build("text-cnn");
    TensorId x = numbers(build, "words", {batch, length});
    x = build.add("embedding", Embedding{.rows = words, .width = width}, {x});
    x = build.add("channels_first", Transpose{.permutation = {0, 2, 1}}, {x});
    std::vector<TensorId> maxima;
    for (const std::int64_t window : {3, 4, 5}) {
        const std::string name = fmt::format("conv{}", window);
        TensorId y = build.add(name, Convolution{.out_channels = filters, .kernel = {window}}, {x});
        y = build.add(name + ".relu", Activation{}, {y});
        maxima.push_back(build.add(name + ".max", Pooling{.global = true}, {y}));
    }
    x = build.add("features", Concat{}, maxima);
    x = build.add("flat", Reshape{.dims = {0, -1}}, {x});
    x = build.add("drop", Dropout{.probability = 0.5}, {x});
    return with_loss(build, build.add("sentiment", FullyConnected{2}, {x}));
}

namespace {

constexpr std::int64_t words = 32320, width = 1024, length = 50, gnmt_layers = 4;

// Builds the translation network. Sequences are [length, batch, width], except that attention needs
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
        for (std::int64_t layer = 3; layer <= gnmt_layers; ++layer) {
            const std::string name = fmt::format("encoder.{}", layer);
            x = add(name + ".residual", lstm(name, x), x);
        }
        return build_.add("context", Transpose{.permutation = {1, 0, 2}}, {x});
    }

    TensorId decoder(TensorId x, TensorId context) {
        x = lstm("decoder.1", x);
        const TensorId found = attention(x, context);
        for (std::int64_t layer = 2; layer <= gnmt_layers; ++layer) {
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

namespace {

constexpr std::int64_t units = 800;

TensorId convolved(GraphBuilder& build, const std::string& name, TensorId x,
                   const Convolution& op) {
    x = build.add(name, op, {x});
    x = build.add(name + ".norm", BatchNormalization{}, {x});
    return build.add(name + ".clip",
                     Activation{.kind = ActivationKind::clip, .alpha = 0, .beta = 20}, {x});
}

// Normalises over all frames of all utterances.
TensorId normalized(GraphBuilder& build, const std::string& name, TensorId x) {
    const Dims dims = build.tensor(x).dims;
    x = build.add(name + ".frames", Reshape{.dims = {-1, dims[2]}}, {x});
    x = build.add(name, BatchNormalization{}, {x});
    return build.add(name + ".sequence", Reshape{.dims = dims}, {x});
}

TensorId both_ways(GraphBuilder& build, const std::string& name, TensorId x) {
    const auto gru = [&](const std::string& end, Direction direction) {
        return build.add(name + end,
                         Recurrent{.cell = CellKind::gru,
                                   .hidden = units,
                                   .direction = direction,
                                   .reset_after = true},
                         {x});
    };
    return build.add(name, Elementwise{},
                     {gru(".forward", Direction::forward), gru(".reverse", Direction::reverse)});
}

}  // namespace

Graph deep_speech_2(std::int64_t batch) {
    constexpr std::int64_t frequencies = 161, frames = 500, layers = 5, letters = 29;
    GraphBuilder build("deep-speech-2");
    TensorId x = build.input("spectrogram", {{positive_batch(batch), 1, frequencies, frames}});
    x = convolved(build, "conv1", x,
                  {.out_channels = 32,
                   .kernel = {41, 11},
                   .stride = {2, 2},
                   .pad_begin = {20, 5},
                   .pad_end = {20, 5}});
    x = convolved(build, "conv2", x,
                  {.out_channels = 32,
                   .kernel = {21, 11},
                   .stride = {2, 1},
                   .pad_begin = {10, 5},
                   .pad_end = {10, 5}});
    const Dims planes = build.tensor(x).dims;
    x = build.add("features", Reshape{.dims = {0, planes[1] * planes[2], planes[3]}}, {x});
    x = build.add("time_major", Transpose{.permutation = {2, 0, 1}}, {x});
    for (std::int64_t layer = 1; layer <= layers; ++layer) {
        const std::string name = fmt::format("rnn{}", layer);
        x = both_ways(build, name, layer == 1 ? x : normalized(build, name + ".norm", x));
    }
    x = build.add("frames", Reshape{.dims = {-1, units}}, {normalized(build, "norm", x)});
    return with_loss(build, build.add("letters", FullyConnected{letters}, {x}));
}

}  // namespace strata
