// SPDX-License-Identifier: MIT
#include "predict/quantized.h"

#include "base/error.h"
#include "base/text.h"
#include "predict/framework.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

// Operators that compute images without leaving int8, where a library fuses and calibrates them.
bool is_of_images(const Op& op) {
    return std::holds_alternative<Convolution>(op) ||
           std::holds_alternative<BatchNormalization>(op) ||
           std::holds_alternative<Activation>(op) || std::holds_alternative<Elementwise>(op) ||
           std::holds_alternative<Pooling>(op) || std::holds_alternative<Concat>(op);
}

class Quantizer {
public:
    explicit Quantizer(Graph graph)
        : graph_(std::move(graph)),
          consumers_(consumers_of(graph_)),
          producers_(producers_of(graph_)),
          is_output_(graph_.tensors.size()) {
        for (const TensorId id : graph_.outputs) {
            is_output_[id] = true;
        }
    }

    void narrow_weights(DataType type) {
        const auto multiplies = [&](const Layer& layer) {
            return (std::holds_alternative<FullyConnected>(layer.op) ||
                    std::holds_alternative<MatMul>(layer.op)) &&
                   std::ranges::any_of(std::span(layer.inputs).first(2), [&](TensorId id) {
                       return graph_.tensors[id].role == Role::parameter;
                   });
        };
        const Layer* last = nullptr;  // it gives the results
        for (const Layer& layer : graph_.layers) {
            last = multiplies(layer) ? &layer : last;
        }
        for (const Layer& layer : graph_.layers) {
            if (multiplies(layer) && &layer != last) {
                narrow_weight(layer, type);
            }
        }
    }

    void narrow_images(DataType type) {
        for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
            if (is_image(id)) {
                graph_.tensors[id].tensor.dtype = type;
            }
        }
        for (const Layer& layer : graph_.layers) {
            if (std::holds_alternative<Convolution>(layer.op) &&
                graph_.tensors[layer.inputs.front()].tensor.dtype == type) {
                narrow_weight(layer, type);
            }
        }
    }

    Graph take() { return std::move(graph_); }

private:
    void narrow_weight(const Layer& layer, DataType type) {
        for (const TensorId id : std::span(layer.inputs).first(2)) {
            GraphTensor& weight = graph_.tensors[id];
            if (weight.role == Role::parameter && is_floating(weight.tensor.dtype) &&
                consumers_[id].size() == 1) {
                weight.tensor.dtype = type;
            }
        }
    }

    bool is_image(TensorId id) const {
        const GraphTensor& tensor = graph_.tensors[id];
        const bool holds_data = tensor.role == Role::activation || tensor.role == Role::input;
        const auto producer = producers_[id];
        return holds_data && is_floating(tensor.tensor.dtype) && !is_output_[id] &&
               !consumers_[id].empty() &&
               (!producer || is_of_images(graph_.layers[*producer].op)) &&
               std::ranges::all_of(consumers_[id], [&](LayerId reader) {
                   return is_of_images(graph_.layers[reader].op);
               });
    }

    Graph graph_;
    std::vector<std::vector<LayerId>> consumers_;
    std::vector<std::optional<LayerId>> producers_;
    std::vector<bool> is_output_;  // by tensor
};

}  // namespace

DataType product_type(std::string_view name) {
    if (name == "fp8") {
        return DataType::f8e4m3fn;
    }
    if (name == "int8") {
        return DataType::s8;
    }
    throw Error(fmt::format("products: '{}' is no type that products are narrowed to; known are "
                            "fp8 and int8",
                            printable(name)),
                ExitCode::usage);
}

Graph as_multiplied(Graph graph, const std::map<std::string, std::string>& changes) {
    const auto products = changes.find("products");
    if (products == changes.end()) {
        return graph;
    }
    const DataType type = product_type(products->second);
    Quantizer quantizer(std::move(graph));
    quantizer.narrow_weights(type);
    const auto framework = changes.find("framework");
    if (type == DataType::s8 && framework != changes.end() &&
        framework_called(framework->second).fusion == LayerFusion::products) {
        quantizer.narrow_images(type);
    }
    return quantizer.take();
}

}  // namespace strata
