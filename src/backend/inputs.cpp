// SPDX-License-Identifier: MIT
#include "backend/inputs.h"

#include "backend/parallel.h"
#include "backend/semantics.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/random.h"

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

// The smallest number of rows that any layer needs this tensor to be an index into. Follows layers
// that only move or convert the tensor, so that an index is valid for all tables that it reaches.
std::int64_t rows_reached(const Graph& graph, TensorId start) {
    constexpr std::int64_t two_values = 2;  // for a mask
    std::optional<std::int64_t> rows;
    std::vector<bool> reached(graph.tensors.size());
    reached[start] = true;
    for (const Layer& layer : graph.layers) {
        for (std::size_t operand = 0; operand < layer.inputs.size(); ++operand) {
            if (!reached[layer.inputs[operand]]) {
                continue;
            }
            if (const auto named = rows_indexed_by(layer.op, signature_of(graph, layer), operand)) {
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

// A tensor is drawn for its first reader.
Draw draw_for(const Graph& graph, TensorId tensor) {
    const GraphTensor& subject = graph.tensors[tensor];
    if (subject.role != Role::label && !is_floating(subject.tensor.dtype)) {
        return {Distribution::classes, static_cast<double>(rows_reached(graph, tensor))};
    }
    for (const Layer& layer : graph.layers) {
        const auto found = std::ranges::find(layer.inputs, tensor);
        if (found != layer.inputs.end()) {
            return draw_of(layer.op, signature_of(graph, layer),
                           static_cast<std::size_t>(found - layer.inputs.begin()));
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
    fill(values, draw_for(graph, tensor), stream_of(subject, seed, "value"));
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
    const Dims& dims = subject.tensor.dims;
    const std::int64_t of_one_image = dims.empty() ? 1 : product(std::span(dims).subspan(1));
    const Draw draw = {Distribution::uniform,
                       1.0 / static_cast<double>(std::max<std::int64_t>(of_one_image, 1))};
    fill(values, draw, stream_of(subject, seed, "gradient"));
    return values;
}

float dropout_scale(std::uint64_t seed, std::uint64_t index, double probability) {
    return DropoutChoice(seed, probability).keeps(index)
               ? static_cast<float>(1.0 / (1.0 - probability))
               : 0.0F;
}

}  // namespace strata
