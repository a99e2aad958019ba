// SPDX-License-Identifier: MIT
#include "backend/inputs.h"

#include "backend/dropout_choice.h"
#include "backend/parallel.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/random.h"

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

// How the values of a tensor without data are drawn.
enum class Distribution { zero, one, normal, uniform, positive, classes };

struct Draw {
    Distribution distribution = Distribution::uniform;
    // Deviation of the normal, half-width of the uniform, middle of the positive, number of
    // classes.
    double extent = 1;
};

Draw he_normal(std::int64_t fan_in) {
    return {Distribution::normal,
            std::sqrt(2.0 / static_cast<double>(std::max<std::int64_t>(fan_in, 1)))};
}

// Elements that one output is summed over: all but the first axis (output channels, features).
std::int64_t fan_in_of(const Tensor& weight) {
    return weight.dims.empty() ? 1 : product(std::span(weight.dims).subspan(1));
}

std::int64_t summed_extent(const MatMul& op, std::size_t operand, const Tensor& tensor) {
    const std::size_t rank = tensor.dims.size();
    const bool last = operand == 0 ? !op.transpose_a : op.transpose_b;
    return rank < 2 ? tensor.elements() : tensor.dims[last ? rank - 1 : rank - 2];
}

// The operator's own name for an operand: "weight", "mean"; empty for an activation.
std::string operand_name(const Graph& graph, const Layer& layer, std::size_t operand) {
    const std::array first = {graph.tensors[layer.inputs.front()].tensor};
    const auto parameters = parameters_of(layer.op, first);
    if (parameters.size() > layer.inputs.size()) {
        return {};
    }
    const std::size_t activations = layer.inputs.size() - parameters.size();
    return operand < activations ? std::string() : parameters[operand - activations].name;
}

// A function that has no value everywhere is given values where it has one.
std::optional<Draw> draw_for_domain(const Op& op, std::size_t operand) {
    constexpr Draw positive = {Distribution::positive, 1}, above_one = {Distribution::positive, 2};
    if (const auto* unary = std::get_if<Unary>(&op)) {
        switch (unary->kind) {
            case UnaryKind::logarithm:
            case UnaryKind::square_root:
            case UnaryKind::reciprocal:
                return positive;
            case UnaryKind::inverse_hyperbolic_cosine:
                return above_one;
            default:
                return std::nullopt;
        }
    }
    const auto* elementwise = std::get_if<Elementwise>(&op);
    const auto* reduction = std::get_if<Reduction>(&op);
    const bool is_base =
        elementwise != nullptr && elementwise->kind == ElementwiseKind::power && operand == 0;
    const bool is_logarithm = reduction != nullptr && reduction->kind == ReductionKind::log_sum;
    return is_base || is_logarithm ? std::optional(positive) : std::nullopt;
}

Draw draw_of_label(const Graph& graph, const Layer& layer) {
    const Dims& scores = graph.tensors[layer.inputs.front()].tensor.dims;
    return {Distribution::classes, scores.size() < 2 ? 1.0 : static_cast<double>(scores[1])};
}

Draw draw_of_elementwise_parameter(ElementwiseKind kind) {
    switch (kind) {
        case ElementwiseKind::multiply:
        case ElementwiseKind::divide:
        case ElementwiseKind::power:
        case ElementwiseKind::remainder:
            return {Distribution::one};
        case ElementwiseKind::prelu:
            return {Distribution::uniform, 0.25};
        default:
            return {Distribution::zero};
    }
}

Draw draw_of_parameter(const Graph& graph, const Layer& layer, std::size_t operand) {
    const Tensor& tensor = graph.tensors[layer.inputs[operand]].tensor;
    if (const auto* recurrent = std::get_if<Recurrent>(&layer.op)) {
        return {Distribution::uniform, 1 / std::sqrt(static_cast<double>(recurrent->hidden))};
    }
    if (const auto* embedding = std::get_if<Embedding>(&layer.op)) {
        return {Distribution::normal, 1 / std::sqrt(static_cast<double>(embedding->width))};
    }
    if (const auto* matmul = std::get_if<MatMul>(&layer.op)) {
        return he_normal(summed_extent(*matmul, operand, tensor));
    }
    if (const auto* elementwise = std::get_if<Elementwise>(&layer.op)) {
        return draw_of_elementwise_parameter(elementwise->kind);
    }
    const std::string name = operand_name(graph, layer, operand);
    if (name.starts_with("bias") || name == "shift" || name == "mean") {
        return {Distribution::zero};
    }
    if (name == "scale" || name == "variance") {
        return {Distribution::one};
    }
    return he_normal(fan_in_of(tensor));
}

// Rows that an index operand may name; nothing where the operand is no index.
std::optional<std::int64_t> rows_named(const Graph& graph, const Layer& layer,
                                       std::size_t operand) {
    if (const auto* embedding = std::get_if<Embedding>(&layer.op); embedding && operand == 0) {
        return embedding->rows;
    }
    if (const auto* gather = std::get_if<Gather>(&layer.op); gather && operand == 1) {
        const Dims& dims = graph.tensors[layer.inputs[0]].tensor.dims;
        const std::int64_t from_start =
            gather->axis < 0 ? gather->axis + static_cast<std::int64_t>(dims.size()) : gather->axis;
        return dims.at(static_cast<std::size_t>(from_start));
    }
    return std::nullopt;
}

// The fewest rows that any layer wants this tensor to be an index into, on its way through layers
// that only move or convert it: an index is good for all that it reaches.
std::int64_t rows_reached(const Graph& graph, TensorId start) {
    constexpr std::int64_t two_values = 2;  // of a mask
    std::optional<std::int64_t> rows;
    std::vector<bool> reached(graph.tensors.size());
    reached[start] = true;
    for (const Layer& layer : graph.layers) {
        for (std::size_t operand = 0; operand < layer.inputs.size(); ++operand) {
            if (!reached[layer.inputs[operand]]) {
                continue;
            }
            if (const auto named = rows_named(graph, layer, operand)) {
                rows = std::min(rows.value_or(*named), *named);
            }
            for (const TensorId output : layer.outputs) {
                reached[output] =
                    reached[output] || !is_floating(graph.tensors[output].tensor.dtype);
            }
        }
    }
    return rows.value_or(two_values);
}

Draw draw_for(const Graph& graph, const Layer& layer, std::size_t operand) {
    if (const auto draw = draw_for_domain(layer.op, operand)) {
        return *draw;
    }
    switch (graph.tensors[layer.inputs[operand]].role) {
        case Role::label:
            return draw_of_label(graph, layer);
        case Role::parameter:
        case Role::statistic:
            return draw_of_parameter(graph, layer, operand);
        default:
            return {};
    }
}

// A tensor is drawn as its first reader needs it.
Draw draw_of(const Graph& graph, TensorId tensor) {
    const GraphTensor& subject = graph.tensors[tensor];
    if (subject.role != Role::label && !is_floating(subject.tensor.dtype)) {
        return {Distribution::classes, static_cast<double>(rows_reached(graph, tensor))};
    }
    for (const Layer& layer : graph.layers) {
        const auto found = std::ranges::find(layer.inputs, tensor);
        if (found != layer.inputs.end()) {
            return draw_for(graph, layer, static_cast<std::size_t>(found - layer.inputs.begin()));
        }
    }
    return {};
}

template <class Element>
void fill_each(std::span<float> values, Element&& element) {
    parallel_for(values.size(), 1, [&](std::size_t i) { values[i] = element(i); });
}

void fill(std::span<float> values, const Draw& draw, const RandomStream& stream) {
    const auto extent = static_cast<float>(draw.extent);
    switch (draw.distribution) {
        case Distribution::zero:
            return fill_each(values, [](std::size_t) { return 0.0F; });
        case Distribution::one:
            return fill_each(values, [](std::size_t) { return 1.0F; });
        case Distribution::normal:
            return fill_each(values, [=](std::size_t i) { return extent * stream.normal(i); });
        case Distribution::uniform:
            return fill_each(values, [=](std::size_t i) { return extent * stream.symmetric(i); });
        case Distribution::positive:
            return fill_each(values,
                             [=](std::size_t i) { return extent + 0.5F * stream.symmetric(i); });
        case Distribution::classes:
            return fill_each(values, [&](std::size_t i) {
                return static_cast<float>(std::floor(stream.uniform(i) * draw.extent));
            });
    }
}

RandomStream stream_of(const GraphTensor& tensor, std::uint64_t seed, std::string_view purpose) {
    return {seed, hash_of(tensor.name, hash_of(purpose))};
}

}  // namespace

void fill_initial_values(const Graph& graph, TensorId tensor, std::uint64_t seed,
                         std::span<float> values) {
    const GraphTensor& subject = graph.tensors[tensor];
    if (subject.data) {
        std::ranges::copy(values_of(subject), values.begin());
        return;
    }
    fill(values, draw_of(graph, tensor), stream_of(subject, seed, "value"));
}

HostValues initial_values(const Graph& graph, TensorId tensor, std::uint64_t seed) {
    const GraphTensor& subject = graph.tensors[tensor];
    if (subject.data) {
        return values_of(subject);
    }
    HostValues values(static_cast<std::size_t>(subject.tensor.elements()));
    fill_initial_values(graph, tensor, seed, values);
    return values;
}

HostValues output_gradient(const Graph& graph, TensorId tensor, std::uint64_t seed) {
    const GraphTensor& subject = graph.tensors[tensor];
    HostValues values(static_cast<std::size_t>(subject.tensor.elements()));
    const Draw draw = {Distribution::uniform, 1.0 / static_cast<double>(std::max<std::int64_t>(
                                                        fan_in_of(subject.tensor), 1))};
    fill(values, draw, stream_of(subject, seed, "gradient"));
    return values;
}

float dropout_scale(std::uint64_t seed, std::uint64_t index, double probability) {
    return DropoutChoice(seed, probability).keeps(index)
               ? static_cast<float>(1.0 / (1.0 - probability))
               : 0.0F;
}

}  // namespace strata
