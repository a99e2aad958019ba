// SPDX-License-Identifier: MIT
#include "networks/zoo/words.h"

#include "base/error.h"

#include <fmt/format.h>

namespace strata {

TensorId numbers(GraphBuilder& builder, const std::string& name, const Dims& dims) {
    if (dims.at(0) < 1) {
        throw Error(fmt::format("batch is {}; it must be at least 1", dims[0]), ExitCode::usage);
    }
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

}  // namespace strata
