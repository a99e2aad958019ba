// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/text.h"
#include "graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace strata {

namespace {

// One validation; each member function checks one rule.
class Validator {
public:
    explicit Validator(const Graph& graph) : graph_(graph), known_(graph.tensors.size()) {}

    void run() {
        tensors();
        inputs();
        layer_names();
        for (const Layer& layer : graph_.layers) {
            operands(layer);
            results(layer);
        }
        outputs();
    }

private:
    [[noreturn]] void refuse(const std::string& sentence) const {
        throw Error(fmt::format("{}: {}", printable(graph_.name), sentence));
    }

    [[noreturn]] void refuse(const Layer& layer, const std::string& sentence) const {
        refuse(fmt::format("layer \"{}\": {}", printable(layer.name), sentence));
    }

    std::string name_of_tensor(TensorId id) const { return printable(graph_.tensors[id].name); }

    void tensors() {
        std::unordered_set<std::string_view> names;
        names.reserve(graph_.tensors.size());
        for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
            const GraphTensor& tensor = graph_.tensors[id];
            if (!names.insert(tensor.name).second) {
                refuse(fmt::format("two tensors are named \"{}\"; rename one",
                                   printable(tensor.name)));
            }
            known_[id] = tensor.role != Role::activation;
            data(tensor);
        }
    }

    void data(const GraphTensor& tensor) const {
        const double bytes = tensor.tensor.bytes().value;  // throws if it cannot be counted
        const auto element = static_cast<std::size_t>(size_in_bytes(tensor.tensor.dtype));
        const bool fills_all = tensor.data && tensor.data->bytes.size() == element;
        if (tensor.data && !fills_all && static_cast<double>(tensor.data->bytes.size()) != bytes) {
            refuse(fmt::format(
                "tensor \"{}\" carries {} bytes, but its shape {} needs {}; the file is damaged",
                printable(tensor.name), tensor.data->bytes.size(), to_text(tensor.tensor.dims),
                bytes));
        }
    }

    // `layer` is the layer that refers to it; nullptr: the inputs or outputs called `what` do.
    void in_range(TensorId id, std::string_view what, const Layer* layer = nullptr) const {
        if (id >= graph_.tensors.size()) {
            const std::string name = layer == nullptr
                                         ? std::string(what)
                                         : fmt::format("{} \"{}\"", what, printable(layer->name));
            refuse(fmt::format("{} refers to tensor {} of {}; use one that exists", name, id,
                               graph_.tensors.size()));
        }
    }

    void inputs() const {
        std::unordered_set<TensorId> listed;
        for (const TensorId id : graph_.inputs) {
            in_range(id, "an input");
            if (!is_input(id) || !listed.insert(id).second) {
                refuse(fmt::format("\"{}\" is listed as an input, but {}", name_of_tensor(id),
                                   is_input(id) ? "twice; remove one"
                                                : "it has another role; make it input or label"));
            }
        }
        for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
            if (is_input(id) && !listed.contains(id)) {
                refuse(fmt::format(
                    "\"{}\" has an input's role, but is not among the inputs; list it there",
                    name_of_tensor(id)));
            }
        }
    }

    bool is_input(TensorId id) const {
        const Role role = graph_.tensors[id].role;
        return role == Role::input || role == Role::label;
    }

    void layer_names() const {
        std::unordered_set<std::string_view> names;
        names.reserve(graph_.layers.size());
        for (const Layer& layer : graph_.layers) {
            if (layer.name.empty() || !names.insert(layer.name).second) {
                refuse(layer, layer.name.empty() ? "a layer has no name; give it one"
                                                 : "another layer has its name; rename one");
            }
        }
    }

    void operands(const Layer& layer) const {
        for (const TensorId id : layer.inputs) {
            in_range(id, "layer", &layer);
            if (!known_[id]) {
                refuse(layer, fmt::format("it reads \"{}\" before any layer computes it; put the "
                                          "layers in order without cycles",
                                          name_of_tensor(id)));
            }
        }
    }

    void results(const Layer& layer) {
        for (const TensorId id : layer.outputs) {
            in_range(id, "layer", &layer);
            if (known_[id]) {
                refuse(layer, fmt::format("it writes \"{}\", which is an input or already "
                                          "computed; give its result a unique name",
                                          name_of_tensor(id)));
            }
            known_[id] = true;
        }
        shapes(layer);
    }

    std::vector<Tensor> expected_results(const Layer& layer) const {
        std::vector<Tensor> operands;
        operands.reserve(layer.inputs.size());
        for (const TensorId id : layer.inputs) {
            operands.push_back(graph_.tensors[id].tensor);
        }
        try {
            return outputs_of(layer.op, operands);
        } catch (const Error& error) {
            refuse(layer, error.what());
        }
    }

    // An opaque layer's shapes are taken from its file.
    void shapes(const Layer& layer) const {
        if (std::holds_alternative<Opaque>(layer.op)) {
            return;
        }
        const auto expected = expected_results(layer);
        if (expected.size() != layer.outputs.size()) {
            refuse(layer, fmt::format("it has {} results, but {} gives {}", layer.outputs.size(),
                                      type_of(layer.op), expected.size()));
        }
        for (std::size_t i = 0; i < expected.size(); ++i) {
            shape(layer, graph_.tensors[layer.outputs[i]], expected[i]);
        }
    }

    void shape(const Layer& layer, const GraphTensor& result, const Tensor& expected) const {
        if (result.tensor != expected) {
            refuse(layer, fmt::format("its result \"{}\" is {} {}, but {} gives {} {}; check the "
                                      "shapes of its inputs",
                                      printable(result.name), name_of(result.tensor.dtype),
                                      to_text(result.tensor.dims), type_of(layer.op),
                                      name_of(expected.dtype), to_text(expected.dims)));
        }
    }

    void outputs() const {
        std::unordered_set<TensorId> listed;
        for (const TensorId id : graph_.outputs) {
            in_range(id, "an output");
            if (!listed.insert(id).second) {
                refuse(fmt::format("\"{}\" is listed as an output twice; remove one",
                                   name_of_tensor(id)));
            }
        }
        for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
            if (!known_[id]) {
                refuse(
                    fmt::format("no layer computes tensor \"{}\"; remove it or make it an "
                                "input",
                                name_of_tensor(id)));
            }
        }
    }

    const Graph& graph_;
    std::vector<bool> known_;  // by tensor: an input, or computed by a layer seen so far
};

}  // namespace

void validate(const Graph& graph) {
    Validator(graph).run();
}

}  // namespace strata
