// SPDX-License-Identifier: MIT
#include "backend/peer/network.h"

#include "backend/gradients.h"
#include "backend/inputs.h"
#include "base/enumeration.h"
#include "base/error.h"
#include "op/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <type_traits>

namespace strata {

namespace {

using Json = nlohmann::json;

template <class T>
Json attribute_json(const T& value) {
    if constexpr (std::is_enum_v<T>) {
        return names_of(value).at(static_cast<std::size_t>(value));
    } else if constexpr (std::is_same_v<T, double>) {
        // JSON has no infinity, which a bound of clip may be.
        constexpr double greatest = std::numeric_limits<float>::max();
        return std::clamp(value, -greatest, greatest);
    } else {
        return value;
    }
}

// The window as `window_of` completes it.
template <class T>
void complete_window(const T& op, const Tensor& input, Json& attributes) {
    if constexpr (requires { window_of(op, input); }) {
        const Window window = window_of(op, input);
        attributes["kernel"] = window.kernel;
        attributes["stride"] = window.stride;
        attributes["dilation"] = window.dilation;
        attributes["pad_begin"] = window.pad_begin;
        attributes["pad_end"] = window.pad_end;
    }
}

Json attributes_json(const Op& op, const Signature& signature) {
    Json attributes = Json::object();
    std::visit(
        [&]<class T>(const T& one) {
            T::fields(one, [&](std::string_view name, const auto& value) {
                attributes[std::string(name)] = attribute_json(value);
            });
            if (!signature.inputs.empty()) {
                complete_window(one, signature.inputs[0].tensor, attributes);
            }
        },
        op);
    return attributes;
}

Json tensors_json(const Graph& graph) {
    Json tensors = Json::array();
    for (const GraphTensor& tensor : graph.tensors) {
        tensors.push_back({{"name", tensor.name},
                           {"dims", tensor.tensor.dims},
                           {"dtype", name_of(tensor.tensor.dtype)},
                           {"role", name_of(tensor.role)}});
    }
    return tensors;
}

Json layers_json(const Graph& graph) {
    Json layers = Json::array();
    for (const Layer& layer : graph.layers) {
        layers.push_back({{"name", layer.name},
                          {"type", type_of(layer.op)},
                          {"kind", kind_of(layer.op)},
                          {"attributes", attributes_json(layer.op, signature_of(graph, layer))},
                          {"inputs", layer.inputs},
                          {"outputs", layer.outputs}});
    }
    return layers;
}

std::string omission_of(const Graph& graph, const Execution& execution, const Task& task) {
    const auto& omissions = execution.scheduling.omissions;
    const auto found = std::ranges::find_if(omissions, [&](const Omission& omission) {
        return omission.layer == graph.layers[task.layer].name && omission.pass == task.pass;
    });
    return found == omissions.end() ? std::string() : found->reason;
}

Json tasks_json(const Graph& graph, const Execution& execution, const Schedule& schedule) {
    const auto first = first_gradients(graph, schedule);
    Json tasks = Json::array();
    for (std::size_t i = 0; i < schedule.tasks.size(); ++i) {
        const Task& task = schedule.tasks[i];
        Json& json = tasks.emplace_back();
        json = {{"layer", task.layer}, {"pass", name_of(task.pass)}};
        if (task.pass == Pass::update) {
            json["parameters"] = updated_parameters(graph, schedule, task.layer);
        }
        const auto receives = gradient_operands(graph, schedule, task);
        json["gradients"] = Json::array();
        for (std::size_t operand = 0; operand < receives.size(); ++operand) {
            if (receives[operand]) {
                json["gradients"].push_back({{"operand", operand}, {"first", first[i][operand]}});
            }
        }
        if (std::string reason = omission_of(graph, execution, task); !reason.empty()) {
            json["omitted"] = std::move(reason);
        }
    }
    return tasks;
}

Json optimizer_json(const Optimizer& optimizer) {
    Json json = {{"name", name_of(optimizer)}};
    std::visit(
        [&]<class T>(const T& one) {
            json["learning_rate"] = one.learning_rate;
            if constexpr (std::is_same_v<T, SgdMomentum>) {
                json["momentum"] = one.momentum;
            }
            if constexpr (std::is_same_v<T, Adam>) {
                json.update({{"beta1", one.beta1}, {"beta2", one.beta2}, {"epsilon", one.epsilon}});
            }
        },
        optimizer);
    return json;
}

// A file to which values are appended.
class ValueFile {
public:
    explicit ValueFile(const std::filesystem::path& path)
        : path_(path), file_(path, std::ios::binary) {}

    void add(Json where, const HostValues& values) {
        where["offset"] = written_;
        where["count"] = values.size();
        file_.write(reinterpret_cast<const char*>(values.data()),
                    static_cast<std::streamsize>(values.size() * sizeof(float)));
        written_ += values.size();
        places_.push_back(std::move(where));
    }

    Json finish() {
        file_.close();
        if (!file_) {
            throw Error(
                fmt::format("{}: the network's values cannot be written; free some space, "
                            "or name another place with TMPDIR",
                            path_.string()));
        }
        return std::move(places_);
    }

private:
    std::filesystem::path path_;
    std::ofstream file_;
    std::size_t written_ = 0;
    Json places_ = Json::array();
};

HostValues scales_of(const Dropout& dropout, const Tensor& input) {
    HostValues scales(static_cast<std::size_t>(input.elements()));
    for (std::size_t i = 0; i < scales.size(); ++i) {
        scales[i] = dropout_scale(static_cast<std::uint64_t>(dropout.seed), i, dropout.probability);
    }
    return scales;
}

}  // namespace

Json network_json(const Graph& graph, const Execution& execution) {
    const Schedule schedule = schedule_of(graph, execution);
    std::vector<TensorId> with_gradient;
    std::vector<TensorId> given;
    for (TensorId id = 0; id < graph.tensors.size(); ++id) {
        if (schedule.needs_gradient[id]) {
            with_gradient.push_back(id);
        }
        if (schedule.gradient_given[id]) {
            given.push_back(id);
        }
    }
    return {{"name", graph.name},
            {"tensors", tensors_json(graph)},
            {"layers", layers_json(graph)},
            {"inputs", graph.inputs},
            {"outputs", graph.outputs},
            {"tasks", tasks_json(graph, execution, schedule)},
            {"needs_gradient", with_gradient},
            {"gradient_given", given},
            {"mode", name_of(execution.numerics.mode)},
            {"dtype", name_of(execution.numerics.dtype)},
            {"single_precision", name_of(execution.numerics.single_precision)},
            {"optimizer", optimizer_json(execution.numerics.optimizer)},
            {"seed", execution.numerics.seed},
            {"algorithm", name_of(execution.engine.algorithm)},
            {"layout", name_of(execution.engine.image_layout)},
            {"fused", execution.engine.fusion != Fusion::none},
            {"kept", execution.scheduling.memory == MemoryReuse::kept}};
}

Json write_values(const Graph& graph, const Execution& execution,
                  const std::filesystem::path& file) {
    const Schedule schedule = schedule_of(graph, execution);
    const auto producers = producers_of(graph);
    const std::uint64_t seed = execution.numerics.seed;
    ValueFile values(file);
    for (TensorId id = 0; id < graph.tensors.size(); ++id) {
        if (!producers[id]) {
            values.add({{"tensor", id}, {"content", "value"}}, initial_values(graph, id, seed));
        }
        if (schedule.gradient_given[id]) {
            values.add({{"tensor", id}, {"content", "gradient"}}, output_gradient(graph, id, seed));
        }
    }
    const bool verified = execution.scheduling.memory == MemoryReuse::kept;
    for (LayerId id = 0; verified && id < graph.layers.size(); ++id) {
        const Layer& layer = graph.layers[id];
        if (const auto* dropout = std::get_if<Dropout>(&layer.op)) {
            values.add({{"layer", id}, {"content", "scale"}},
                       scales_of(*dropout, graph.tensors[layer.inputs[0]].tensor));
        }
    }
    return values.finish();
}

}  // namespace strata
