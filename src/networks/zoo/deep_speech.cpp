// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "networks/zoo/words.h"

#include <fmt/format.h>

namespace strata {

namespace {

constexpr std::int64_t units = 800;

TensorId convolved(GraphBuilder& build, const std::string& name, TensorId x,
                   const Convolution& op) {
    x = build.add(name, op, {x});
    x = build.add(name + ".norm", BatchNormalization{}, {x});
    return build.add(name + ".clip",
                     Activation{.kind = ActivationKind::clip, .alpha = 0, .beta = 20}, {x});
}

// Normalised over all frames of all utterances.
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
    if (batch < 1) {
        throw Error(fmt::format("batch is {}; it must be at least 1", batch), ExitCode::usage);
    }
    GraphBuilder build("deep-speech-2");
    TensorId x = build.input("spectrogram", {{batch, 1, frequencies, frames}});
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
