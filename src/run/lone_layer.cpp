// SPDX-License-Identifier: MIT
#include "run/lone_layer.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace strata {

namespace {

std::string exact_glob(const std::string& name) {
    std::string glob;
    for (const char c : name) {
        glob += c == '*' || c == '?' || c == '[' || c == '\\' ? '?' : c;
    }
    return glob;
}

// The tensor that a pass leaves, and which of its contents.
std::pair<TensorId, Content> result_of(const Layer& layer, Pass pass) {
    return pass == Pass::forward         ? std::pair(layer.outputs.front(), Content::value)
           : pass == Pass::backward_data ? std::pair(layer.inputs[0], Content::gradient)
                                         : std::pair(layer.inputs[1], Content::gradient);
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
    return std::ranges::equal(a, b, [](float x, float y) {
        return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
    });
}

void run_passes(Executable& executable) {
    for (std::size_t i = 0; i < executable.steps().size(); ++i) {
        if (executable.steps()[i].pass != Pass::update) {
            executable.run_step(i);
        }
    }
}

}  // namespace

LoneLayer::LoneLayer(const Graph& graph, LayerId layer)
    : graph_(slice(graph, exact_glob(graph.layers[layer].name))) {}

Execution LoneLayer::execution(Execution of_network) {
    of_network.numerics.first_layer_gradient = FirstLayerGradient::computed;
    of_network.scheduling.memory = MemoryReuse::kept;
    return of_network;
}

void LoneLayer::examine(Executable& executable, std::span<AlgorithmResult> results) {
    const auto* op = std::get_if<Convolution>(&layer().op);
    if (op == nullptr) {
        return;
    }
    run_passes(executable);
    std::vector<HostValues> first;
    for (AlgorithmResult& result : results) {
        const auto [tensor, content] = result_of(layer(), result.pass);
        first.push_back(executable.read(tensor, content));
        result.exact_error = error_of(expected(*op, result.pass, executable), first.back());
    }
    run_passes(executable);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto [tensor, content] = result_of(layer(), results[i].pass);
        results[i].is_deterministic = same_bits(first[i], executable.read(tensor, content));
    }
}

// Every algorithm reads the same values, so the first executable that is asked tells them.
const ExpectedElements& LoneLayer::expected(const Convolution& op, Pass pass,
                                            const Executable& from) {
    ExpectedElements& known = expected_[static_cast<std::size_t>(pass)];
    if (known.places.empty()) {
        known = expected_elements(values(op, pass, from), pass);
    }
    return known;
}

ConvolutionValues LoneLayer::values(const Convolution& op, Pass pass,
                                    const Executable& from) const {
    const auto dims = [&](TensorId tensor) { return graph_.tensors[tensor].tensor.dims; };
    const TensorId x = layer().inputs[0];
    const TensorId weight = layer().inputs[1];
    const TensorId y = layer().outputs.front();
    ConvolutionValues values{.window = window_of(op, graph_.tensors[x].tensor),
                             .groups = op.groups,
                             .x_dims = dims(x),
                             .weight_dims = dims(weight),
                             .y_dims = dims(y)};
    values.x = from.read(x, Content::value);
    values.weight = from.read(weight, Content::value);
    if (op.bias) {
        values.bias = from.read(layer().inputs[2], Content::value);
    }
    if (pass != Pass::forward) {
        values.y_gradient = from.read(y, Content::gradient);
    }
    return values;
}

}  // namespace strata
