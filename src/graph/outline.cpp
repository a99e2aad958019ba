// SPDX-License-Identifier: MIT
#include "graph/outline.h"

#include "base/error.h"
#include "base/random.h"
#include "graph/executed.h"
#include "op/rules.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace strata {

namespace {

constexpr KindId no_kind = std::numeric_limits<KindId>::max();
constexpr TensorId no_tensor = std::numeric_limits<TensorId>::max();

std::uint64_t hash_of_shape(const Tensor& tensor) {
    std::uint64_t hash = mix_bits(static_cast<std::uint64_t>(tensor.dtype) + 1);
    for (const std::int64_t dim : tensor.dims) {
        hash = mix_bits(hash ^ static_cast<std::uint64_t>(dim));
    }
    return hash;
}

// (Further attributes of the operator are compared, not hashed.)
std::uint64_t hash_of_layer(const Op& op, std::span<const OutlineTensor> activations) {
    std::uint64_t hash = mix_bits(op.index() + 1);
    for (const OutlineTensor& tensor : activations) {
        hash = mix_bits(
            hash ^ (std::uint64_t{tensor.shape} << 8 | static_cast<std::uint64_t>(tensor.role)));
    }
    return hash;
}

std::uint8_t tensor_trait(const OutlineTensor& tensor, const LayerTable& table) {
    return static_cast<std::uint8_t>(static_cast<unsigned>(tensor.role) * 2 +
                                     (is_floating(table.shape(tensor.shape).dtype) ? 1U : 0U));
}

// The properties of a layer that schedule.cpp, sharing.cpp and lifetimes.cpp query.
std::uint64_t traits_of(const Op& op, const Signature& signature, Bytes saved) {
    const BackwardReads reads = reads_of(op);
    std::uint64_t traits = op.index();
    const auto add = [&](bool answer) { traits = traits << 1 | (answer ? 1 : 0); };
    add(reads.input_for_data);
    add(reads.output_for_data);
    add(reads.input_for_weights);
    add(reads.only_others_for_data);
    add(reads.data_before_weights);
    add(saved > Bytes{});
    add(!signature.inputs.empty() && !signature.outputs.empty() &&
        signature.inputs[0].tensor == signature.outputs[0]);
    for (const Pass pass : all_passes) {
        add(has_pass(op, signature, pass));
    }
    return traits;
}

}  // namespace

ShapeId LayerTable::shape_id(const Tensor& tensor) {
    const std::uint64_t hash = hash_of_shape(tensor);
    const auto [begin, end] = shapes_by_hash_.equal_range(hash);
    for (auto at = begin; at != end; ++at) {
        if (shapes_[at->second] == tensor) {
            return at->second;
        }
    }
    const auto id = static_cast<ShapeId>(shapes_.size());
    bytes_.push_back(tensor.bytes());
    shapes_.push_back(tensor);
    shapes_by_hash_.emplace(hash, id);
    return id;
}

Bytes LayerTable::data_bytes(ShapeId id, DataType dtype) const {
    constexpr double f32_bytes = 4;
    return shapes_[id].dtype == DataType::f32
               ? Bytes{bytes_[id].value / f32_bytes * static_cast<double>(size_in_bytes(dtype))}
               : bytes_[id];
}

Bytes LayerTable::held_bytes(const OutlineTensor& tensor, const Numerics& numerics) const {
    const Tensor& own = shapes_[tensor.shape];
    const DataType held = held_type(own.dtype, tensor.role, numerics);
    const auto size = [](DataType dtype) { return static_cast<double>(size_in_bytes(dtype)); };
    return bytes_[tensor.shape] * (size(held) / size(own.dtype));
}

bool LayerTable::is(KindId id, const Op& op, std::span<const OutlineTensor> activations) const {
    const LayerKind& kind = kinds_[id];
    return kind.op.index() == op.index() && std::ranges::equal(kind.activations, activations) &&
           kind.op == op;
}

KindId LayerTable::kind_id(Op op, std::span<const OutlineTensor> activations) {
    const std::uint64_t hash = hash_of_layer(op, activations);
    const auto [begin, end] = kinds_by_hash_.equal_range(hash);
    for (auto at = begin; at != end; ++at) {
        if (is(at->second, op, activations)) {
            return at->second;
        }
    }
    LayerKind kind;
    kind.activations.assign(activations.begin(), activations.end());
    std::vector<Tensor> operands;
    for (const OutlineTensor& tensor : activations) {
        operands.push_back(shapes_[tensor.shape]);
        kind.signature.inputs.push_back({shapes_[tensor.shape], tensor.role});
    }
    for (const ParameterShape& shape : parameters_of(op, operands)) {
        kind.parameters.push_back({shape_id(shape.tensor), shape.role});
        operands.push_back(shape.tensor);
        kind.signature.inputs.push_back({shape.tensor, shape.role});
    }
    kind.signature.outputs = outputs_of(op, operands);
    for (const Tensor& output : kind.signature.outputs) {
        kind.outputs.push_back(shape_id(output));
    }
    kind.saved = saved_bytes_of(op, kind.signature);
    kind.traits = traits_of(op, kind.signature, kind.saved);
    kind.op = std::move(op);
    const auto id = static_cast<KindId>(kinds_.size());
    kind.successor = id;
    kinds_.push_back(std::move(kind));
    kinds_by_hash_.emplace(hash, id);
    return id;
}

bool Outline::is_of(const Graph& graph, const LayerTable& table) const {
    const auto is_same = [&](const OutlineTensor& mine, const GraphTensor& other) {
        return mine.role == other.role && table.shape(mine.shape) == other.tensor;
    };
    if (layers.size() != graph.layers.size() ||
        !std::ranges::equal(tensors, graph.tensors, is_same)) {
        return false;
    }
    std::size_t at = 0;
    for (LayerId id = 0; id < layers.size(); ++id) {
        const Layer& layer = graph.layers[id];
        const std::size_t end = at + layer.inputs.size() + layer.outputs.size();
        if (table.kind(layers[id]).op != layer.op || end > operands.size()) {
            return false;
        }
        for (const auto* ids : {&layer.inputs, &layer.outputs}) {
            for (const TensorId tensor : *ids) {
                if (operands[at++] != tensor) {
                    return false;
                }
            }
        }
    }
    return at == operands.size();
}

void OutlineBuilder::begin(Mode mode) {
    mode_ = mode;
    outline_.layers.clear();
    outline_.tensors.clear();
    outline_.operands.clear();
    outline_.traits.clear();
}

TensorId OutlineBuilder::append(OutlineTensor tensor) {
    outline_.tensors.push_back(tensor);
    return outline_.tensors.size() - 1;
}

TensorId OutlineBuilder::input(std::string, Tensor tensor, Role role) {
    return mode_ == Mode::inference && role == Role::label
               ? no_tensor
               : append({table_->shape_id(tensor), role});
}

TensorId OutlineBuilder::constant(std::string, Tensor tensor, Role role,
                                  std::optional<TensorData>) {
    return append({table_->shape_id(tensor), role});
}

const Tensor& OutlineBuilder::tensor(TensorId id) const {
    return table_->shape(outline_.tensors[id].shape);
}

TensorId OutlineBuilder::add(std::string, Op op, std::span<const TensorId> activations) {
    if (mode_ == Mode::inference && std::holds_alternative<SoftmaxCrossEntropy>(op)) {
        op = Softmax{.axis = 1};
        activations = activations.first(1);
    }
    activations_.clear();
    for (const TensorId id : activations) {
        activations_.push_back(outline_.tensors[id]);
        outline_.operands.push_back(static_cast<std::uint32_t>(id));
    }
    const KindId before = outline_.layers.empty() ? no_kind : outline_.layers.back();
    KindId id = before == no_kind ? no_kind : table_->successor(before);
    if (id == no_kind || !table_->is(id, op, activations_)) {
        id = table_->kind_id(std::move(op), activations_);
        if (before != no_kind) {
            table_->set_successor(before, id);
        }
    }
    const LayerKind& kind = table_->kind(id);
    for (const OutlineTensor& parameter : kind.parameters) {
        outline_.operands.push_back(static_cast<std::uint32_t>(append(parameter)));
    }
    const TensorId first = outline_.tensors.size();
    for (const ShapeId output : kind.outputs) {
        outline_.operands.push_back(static_cast<std::uint32_t>(append({output, Role::activation})));
    }
    outline_.layers.push_back(id);
    outline_.traits.push_back(kind.traits);
    return first;
}

Structure::Structure(const Plan& plan, const Outline& outline, const LayerTable& table)
    : operands_(outline.operands),
      traits_(outline.traits),
      steps_(steps_of(plan.graph, plan.schedule)) {
    const Graph& graph = plan.graph;
    check(outline.is_of(graph, table), "a structure is derived from the outline's own graph");
    for (std::uint32_t id = 0; id < outline.tensors.size(); ++id) {
        const OutlineTensor& tensor = outline.tensors[id];
        tensors_.push_back(tensor_trait(tensor, table));
        if (is_persistent(tensor.role)) {
            persistent_.push_back(id);
        }
        if (tensor.role == Role::parameter) {
            parameters_.push_back(id);
        }
    }
    const auto producers = producers_of(graph);
    std::vector<std::pair<std::size_t, Event>> events;
    for (const Buffer& buffer : lifetimes_of(graph, {.numerics = plan.numerics}, plan.schedule)) {
        Event event{.of = static_cast<std::uint32_t>(buffer.tensor)};
        if (buffer.kind == BufferKind::saved) {
            event = {.of = static_cast<std::uint32_t>(*producers[buffer.tensor]),
                     .source = Source::saved};
        } else if (buffer.kind != BufferKind::value &&
                   graph.tensors[buffer.tensor].role == Role::parameter) {
            event.source = Source::own_type;
        }
        events.emplace_back(buffer.lifetime.first_task, event);
        event.is_end = true;
        events.emplace_back(buffer.lifetime.last_task + 1, event);
    }
    std::ranges::stable_sort(events, [](const auto& a, const auto& b) {
        return std::pair(a.first, !a.second.is_end) < std::pair(b.first, !b.second.is_end);
    });
    for (const auto& [task, event] : events) {
        events_.push_back(event);
    }
}

bool Structure::fits(const Outline& outline, const LayerTable& table) const {
    return traits_ == outline.traits && operands_ == outline.operands &&
           std::ranges::equal(outline.tensors, tensors_, {}, [&](const OutlineTensor& tensor) {
               return tensor_trait(tensor, table);
           });
}

Bytes Structure::peak(const Outline& outline, const LayerTable& table,
                      const Execution& execution) const {
    Bytes needed;
    Bytes most;
    for (const Event& event : events_) {
        const auto shape = [&] { return outline.tensors[event.of].shape; };
        const Bytes size = event.source == Source::saved
                               ? table.kind(outline.layers[event.of]).saved
                           : event.source == Source::own_type
                               ? table.bytes(shape())
                               : table.data_bytes(shape(), execution.numerics.dtype);
        needed = event.is_end ? needed - size : needed + size;
        most = std::max(most, needed);
    }
    const auto sum = [&](const std::vector<std::uint32_t>& ids) {
        Bytes bytes;
        for (const std::uint32_t id : ids) {
            bytes += table.held_bytes(outline.tensors[id], execution.numerics);
        }
        return bytes;
    };
    Bytes optimizer;
    if (execution.numerics.mode == Mode::training) {
        optimizer = cost_of(execution.numerics.optimizer).states * sum(parameters_);
    }
    return sum(persistent_) + optimizer + most;
}

}  // namespace strata
