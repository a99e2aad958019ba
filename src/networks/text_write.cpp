// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "networks/text.h"
#include "networks/text_cursor.h"
#include "op/problem.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

// Writes one graph as text.
class Writer {
public:
    explicit Writer(const Graph& graph) : graph_(graph), declared_(graph.tensors.size()) {}

    std::string run() {
        text_ = fmt::format("graph {}\n", name_text(graph_.name));
        for (const TensorId id : graph_.inputs) {
            declare(id);
        }
        for (const Layer& layer : graph_.layers) {
            write(layer);
        }
        for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
            declare(id);
        }
        for (const TensorId id : graph_.outputs) {
            text_ += fmt::format("output {}\n", name(id));
        }
        return std::move(text_);
    }

private:
    std::string name(TensorId id) const { return name_text(graph_.tensors[id].name); }

    std::string shape(TensorId id) const {
        const Tensor& tensor = graph_.tensors[id].tensor;
        return fmt::format("{} {}", name_of(tensor.dtype), to_text(tensor.dims));
    }

    void declare(TensorId id) {
        if (!declared_[id]) {
            text_ +=
                fmt::format("{} {} {}\n", name_of(graph_.tensors[id].role), name(id), shape(id));
            declared_[id] = true;
        }
    }

    void write(const Layer& layer) {
        const std::string operands =
            operands_text(layer);  // declares operands that the layer does not make
        const std::string op = to_text(layer.op);
        const std::size_t type_end = type_of(layer.op).size();
        text_ += fmt::format("{}{} = {}({}){}\n", name_text(layer.name), results_text(layer),
                             op.substr(0, type_end), operands, op.substr(type_end));
        note("alias", layer.alias);
        note("source", layer.source);
        for (const TensorId id : layer.outputs) {
            declared_[id] = true;
        }
    }

    void note(std::string_view keyword, const std::string& of_layer) {
        text_ += of_layer.empty() ? "" : fmt::format("{} {}\n", keyword, name_text(of_layer));
    }

    // Empty if the result has the layer's name.
    std::string results_text(const Layer& layer) const {
        const bool stated = std::holds_alternative<Opaque>(layer.op);
        const bool as_layer = !stated && layer.outputs.size() == 1 &&
                              graph_.tensors[layer.outputs[0]].name == layer.name;
        std::string text = as_layer || layer.outputs.empty() ? "" : " -> ";
        for (const TensorId id : as_layer ? std::vector<TensorId>{} : layer.outputs) {
            text += fmt::format("{}{}{}", text == " -> " ? "" : ", ", name(id),
                                stated ? " " + shape(id) : "");
        }
        return text;
    }

    std::string operands_text(const Layer& layer) {
        if (asks_for(layer, layer.inputs.size())) {
            return list(layer.inputs);
        }
        const std::size_t minimum =
            std::max<std::size_t>(layer.inputs.size(), max_own_operands + 1) - max_own_operands;
        for (std::size_t count = minimum; count < layer.inputs.size(); ++count) {
            if (asks_for(layer, count)) {
                const auto made = std::span(layer.inputs).subspan(count);
                std::ranges::for_each(made, [&](TensorId id) { declared_[id] = true; });
                return list(std::span(layer.inputs).first(count));
            }
        }
        const std::size_t data = leading_data(layer);
        const std::string activations = list(std::span(layer.inputs).first(data));
        return activations + "; " + list(std::span(layer.inputs).subspan(data));
    }

    std::string list(std::span<const TensorId> ids) {
        std::string text;
        for (const TensorId id : ids) {
            declare(id);
            text += fmt::format("{}{}", text.empty() ? "" : ", ", name(id));
        }
        return text;
    }

    std::size_t leading_data(const Layer& layer) const {
        const auto end = std::ranges::find_if(layer.inputs, [&](TensorId id) {
            return graph_.tensors[id].role == Role::parameter ||
                   graph_.tensors[id].role == Role::statistic;
        });
        return static_cast<std::size_t>(end - layer.inputs.begin());
    }

    // Whether the operator itself creates exactly the operands after the first `count`.
    bool asks_for(const Layer& layer, std::size_t count) const {
        std::vector<Tensor> given;
        for (const TensorId id : std::span(layer.inputs).first(count)) {
            given.push_back(graph_.tensors[id].tensor);
        }
        try {
            const auto asked = parameters_of(layer.op, given);
            const auto others = std::span(layer.inputs).subspan(count);
            return std::ranges::equal(asked, others, [&](const ParameterShape& shape, TensorId id) {
                return is_made_as(layer, shape, id);
            });
        } catch (const Error&) {
            return false;
        }
    }

    bool is_made_as(const Layer& layer, const ParameterShape& shape, TensorId id) const {
        const GraphTensor& tensor = graph_.tensors[id];
        return !declared_[id] && tensor.name == layer.name + "." + shape.name &&
               tensor.tensor == shape.tensor && tensor.role == shape.role;
    }

    const Graph& graph_;
    std::vector<bool> declared_;
    std::string text_;
};

}  // namespace

std::string to_text(const Graph& graph) {
    return Writer(graph).run();
}

}  // namespace strata
