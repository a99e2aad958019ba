// SPDX-License-Identifier: MIT
#include "networks/convolutional_head.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

bool is_image(const Tensor& tensor) {
    return tensor.dims.size() == 4 && tensor.dims[2] * tensor.dims[3] > 1;
}

// Layers that give each element its own result whatever its place.
bool keeps_shape(const Op& op) {
    return std::holds_alternative<Activation>(op) || std::holds_alternative<Dropout>(op);
}

// The layers of a head, in order, and the image that the first one reads.
struct Head {
    std::vector<LayerId> layers = {};
    TensorId image = 0;
    std::optional<LayerId> flattening = {};  // a reshape between both
};

class HeadFinder {
public:
    explicit HeadFinder(const Graph& graph)
        : graph_(graph), readers_(consumers_of(graph)), producers_(producers_of(graph)) {}

    Head find() const {
        for (LayerId layer = 0; layer < graph_.layers.size(); ++layer) {
            if (auto head = head_at(layer)) {
                return *head;
            }
        }
        throw Error(fmt::format("{} has no fully connected layer that reads an image, so there is "
                                "nothing to make convolutional; name the network without {}",
                                printable(graph_.name), "@convolutional"),
                    ExitCode::usage);
    }

private:
    std::optional<Head> head_at(LayerId layer) const {
        if (!std::holds_alternative<FullyConnected>(graph_.layers[layer].op)) {
            return {};
        }
        Head head{.layers = {layer}, .image = graph_.layers[layer].inputs.front()};
        const auto before = producers_[head.image];
        if (before && std::holds_alternative<Reshape>(graph_.layers[*before].op)) {
            head.flattening = before;
            head.image = graph_.layers[*before].inputs.front();
        }
        if (!is_image(graph_.tensors[head.image].tensor)) {
            return {};
        }
        extend(head);
        return head;
    }

    // To the last fully connected layer that only such layers separate from the first.
    void extend(Head& head) const {
        std::vector<LayerId> path;
        LayerId at = head.layers.front();
        while (const auto next = only_reader(at)) {
            const Op& op = graph_.layers[*next].op;
            path.push_back(*next);
            if (std::holds_alternative<FullyConnected>(op)) {
                head.layers.insert(head.layers.end(), path.begin(), path.end());
                path.clear();
            } else if (!keeps_shape(op)) {
                break;
            }
            at = *next;
        }
    }

    std::optional<LayerId> only_reader(LayerId layer) const {
        const auto& outputs = graph_.layers[layer].outputs;
        const bool is_passed_on =
            outputs.size() == 1 && readers_[outputs.front()].size() == 1 &&
            std::ranges::find(graph_.outputs, outputs.front()) == graph_.outputs.end();
        return is_passed_on ? std::optional(readers_[outputs.front()].front()) : std::nullopt;
    }

    const Graph& graph_;
    std::vector<std::vector<LayerId>> readers_;
    std::vector<std::optional<LayerId>> producers_;
};

// Gives a layer's parameters and result the shapes that its operator has on this input.
void reshape_layer(Graph& graph, Layer& layer, TensorId input) {
    layer.inputs.front() = input;
    const Tensor read = graph.tensors[input].tensor;
    const auto shapes = parameters_of(layer.op, std::span(&read, 1));
    check(layer.inputs.size() == 1 + shapes.size(), "a layer has its operator's parameters");
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        GraphTensor& parameter = graph.tensors[layer.inputs[i + 1]];
        if (parameter.tensor.dims != shapes[i].tensor.dims) {
            parameter.tensor.dims = shapes[i].tensor.dims;
            parameter.data.reset();
        }
    }
}

TensorId add_tensor(Graph& graph, std::string name, const Tensor& like, Dims dims) {
    GraphTensor& made =
        graph.tensors.emplace_back(GraphTensor{.name = std::move(name), .tensor = like});
    made.tensor.dims = std::move(dims);
    return graph.tensors.size() - 1;
}

// An average over the pixels and a reshape, whose result is what the last layer's was.
void average_pixels(Graph& graph, LayerId last) {
    const TensorId result = graph.layers[last].outputs.front();
    const Tensor flat = graph.tensors[result].tensor;
    const Tensor image = graph.tensors[graph.layers[last].inputs.front()].tensor;
    const std::string name = graph.layers[last].name;
    const std::int64_t batch = flat.dims[0], channels = flat.dims[1];
    const TensorId scores =
        add_tensor(graph, name + ".pixels", flat, {batch, channels, image.dims[2], image.dims[3]});
    const TensorId pooled = add_tensor(graph, name + ".average", flat, {batch, channels, 1, 1});
    graph.layers[last].outputs.front() = scores;
    const auto place = graph.layers.begin() + static_cast<std::ptrdiff_t>(last) + 1;
    graph.layers.insert(place, {Layer{.name = name + ".average",
                                      .op = Pooling{.kind = PoolingKind::average, .global = true},
                                      .inputs = {scores},
                                      .outputs = {pooled}},
                                Layer{.name = name + ".flatten",
                                      .op = Reshape{.dims = flat.dims},
                                      .inputs = {pooled},
                                      .outputs = {result}}});
}

}  // namespace

Graph with_convolutional_head(Graph graph) {
    const Head head = HeadFinder(graph).find();
    TensorId input = head.image;
    for (const LayerId id : head.layers) {
        Layer& layer = graph.layers[id];
        if (const auto* full = std::get_if<FullyConnected>(&layer.op)) {
            layer.op = Convolution{
                .out_channels = full->out_features, .kernel = {1, 1}, .bias = full->bias};
        }
        reshape_layer(graph, layer, input);
        input = layer.outputs.front();
        if (id != head.layers.back()) {
            const Tensor& read = graph.tensors[layer.inputs.front()].tensor;
            Dims& dims = graph.tensors[input].tensor.dims;
            dims = {read.dims[0], dims[1], read.dims[2], read.dims[3]};
        }
    }
    average_pixels(graph, head.layers.back());
    if (head.flattening) {
        const TensorId flat = graph.layers[*head.flattening].outputs.front();
        if (consumers_of(graph)[flat].empty()) {
            graph.layers.erase(graph.layers.begin() +
                               static_cast<std::ptrdiff_t>(*head.flattening));
        }
    }
    graph.name += convolutional_suffix;
    validate(graph);
    return graph;
}

}  // namespace strata
