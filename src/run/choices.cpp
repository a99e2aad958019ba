// SPDX-License-Identifier: MIT
#include "run/choices.h"

#include "run/job.h"

#include <algorithm>

namespace strata {

namespace {

bool has_convolutions(const Graph& graph) {
    return std::ranges::any_of(graph.layers, [](const Layer& layer) {
        return std::holds_alternative<Convolution>(layer.op);
    });
}

bool changes_something(const Choice& choice, const Settings& settings, const Graph& graph) {
    if (choice.is_of_convolutions && !has_convolutions(graph)) {
        return false;
    }
    const Execution& execution = settings.execution;
    if (choice.option == "first_layer_gradient" && execution.numerics.mode == Mode::inference) {
        return false;
    }
    if (choice.option == "threads" && thread_count(execution) == 1) {
        return false;
    }
    return text_of(settings, choice.option) != choice.value;
}

bool has(std::string_view backend, Capabilities capabilities, const Choice& choice,
         const Settings& settings) {
    if (!choice.backends.empty() &&
        std::ranges::find(choice.backends, backend) == choice.backends.end()) {
        return false;
    }
    Settings changed = settings;
    set_option(changed, option_named(choice.option), choice.value);
    return refusal_of(changed, capabilities).empty();
}

}  // namespace

std::span<const Choice> all_choices() {
    static const std::vector<std::string_view> own_engines = {"onednn", "cuda"};
    static const std::vector<std::string_view> on_processors = {
        "onednn", "pytorch", "tensorflow", "jax", "onnxruntime", "openvino", "libtorch"};
    // (OpenVINO always fuses.)
    static const std::vector<std::string_view> fusing_on_request = {
        "onednn", "cuda", "pytorch", "tensorflow", "jax", "onnxruntime"};
    static const std::vector<Choice> choices = {
        {"algorithm", "auto", own_engines, true},
        {"algorithm", "winograd", own_engines, true},
        {"algorithm", "fastest", {"cuda"}, true},
        {"layout", "nchw", {}, true},
        {"layout", "nhwc", {}, true},
        {"fuse", "on", fusing_on_request},
        {"first_layer_gradient", "computed"},
        {"threads", "1", on_processors},
        {"pinned", "no", on_processors},
        {"peer_option", "onednn=off", {"pytorch", "tensorflow"}},
        {"peer_option", "inter-op=2", {"pytorch", "tensorflow", "onnxruntime"}},
        {"peer_option", "optimization=basic", {"onnxruntime"}},
        {"peer_option", "optimization=extended", {"onnxruntime"}},
        {"peer_option", "spinning=off", {"onnxruntime"}},
        {"peer_option", "hint=throughput", {"openvino"}},
        {"peer_option", "streams=2", {"openvino"}},
    };
    return choices;
}

std::vector<Choice> choices_of(std::string_view backend, Capabilities capabilities,
                               const Settings& settings, const Graph& graph) {
    std::vector<Choice> choices;
    std::ranges::copy_if(all_choices(), std::back_inserter(choices), [&](const Choice& choice) {
        return changes_something(choice, settings, graph) &&
               has(backend, capabilities, choice, settings);
    });
    return choices;
}

}  // namespace strata
