// SPDX-License-Identifier: MIT
#pragma once

#include "graph/builder.h"
#include "graph/memory.h"
#include "graph/schedule.h"

#include <cstdint>
#include <unordered_map>

namespace strata {

// A network without names, for sweeps over thousands of them: which of the few different layers
// each of its layers is, and over which tensors. Layers and shapes are known by their number in a
// LayerTable, so that networks that have a layer in common share what is known of it.

using ShapeId = std::uint32_t;
using KindId = std::uint32_t;

struct OutlineTensor {
    ShapeId shape = 0;
    Role role = Role::activation;

    bool operator==(const OutlineTensor&) const = default;
};

// Layers that are alike (graph/graph.h): one operator on operands of these shapes and roles.
struct LayerKind {
    Op op;
    std::vector<OutlineTensor> activations;
    std::vector<OutlineTensor> parameters;
    std::vector<ShapeId> outputs;
    Signature signature;
    Bytes saved;               // by the forward pass for the backward passes
    std::uint64_t traits = 0;  // all that a schedule, sharing and lifetimes depend on but sizes
    KindId successor = 0;      // the kind that followed last time, to be tried first
};

// Every shape and every kind of layer that was met so far.
class LayerTable {
public:
    ShapeId shape_id(const Tensor& tensor);
    const Tensor& shape(ShapeId id) const { return shapes_[id]; }
    std::size_t shapes() const { return shapes_.size(); }
    Bytes bytes(ShapeId id) const { return bytes_[id]; }
    // Of values and gradients, which have the execution's element type.
    Bytes data_bytes(ShapeId id, DataType dtype) const;
    // Of what always exists (graph/graph.h).
    Bytes held_bytes(const OutlineTensor& tensor, const Numerics& numerics) const;

    // The kind of such a layer. Throws Error where the shapes do not fit.
    KindId kind_id(Op op, std::span<const OutlineTensor> activations);
    const LayerKind& kind(KindId id) const { return kinds_[id]; }
    std::size_t kinds() const { return kinds_.size(); }
    bool is(KindId id, const Op& op, std::span<const OutlineTensor> activations) const;
    // The kind that followed this one last time, to be tried before the table is searched.
    KindId successor(KindId id) const { return kinds_[id].successor; }
    void set_successor(KindId id, KindId successor) { kinds_[id].successor = successor; }

private:
    std::vector<Tensor> shapes_;
    std::vector<Bytes> bytes_;
    std::vector<LayerKind> kinds_;
    std::unordered_multimap<std::uint64_t, ShapeId> shapes_by_hash_;
    std::unordered_multimap<std::uint64_t, KindId> kinds_by_hash_;
};

struct Outline {
    std::vector<KindId> layers;
    std::vector<OutlineTensor> tensors;
    // By layer its activations, parameters and outputs, one layer after the other.
    std::vector<std::uint32_t> operands;
    std::vector<std::uint64_t> traits;  // by layer

    // Whether it is an outline of this graph.
    bool is_of(const Graph& graph, const LayerTable& table) const;
};

// Makes outlines, one after another, in the same memory. For inference a loss at the end becomes
// what `for_inference` makes of it.
class OutlineBuilder final : public LayerSink {
public:
    explicit OutlineBuilder(LayerTable& table) : table_(&table) {}

    void begin(Mode mode);
    const Outline& outline() const { return outline_; }

    TensorId input(std::string name, Tensor tensor, Role role) override;
    TensorId constant(std::string name, Tensor tensor, Role role,
                      std::optional<TensorData> data) override;
    TensorId add(std::string name, Op op, std::span<const TensorId> activations) override;
    const Tensor& tensor(TensorId id) const override;

private:
    TensorId append(OutlineTensor tensor);

    LayerTable* table_;
    Mode mode_ = Mode::training;
    Outline outline_;
    std::vector<OutlineTensor> activations_;  // of the layer that is added
};

// What networks of one structure have in common whatever their sizes: which passes run in which
// order, and which tensors lie in memory from which to which. Found the long way, on one graph.
class Structure {
public:
    Structure(const Graph& graph, const Outline& outline, const Execution& execution,
              const LayerTable& table);

    // Whether a network has this structure.
    bool fits(const Outline& outline, const LayerTable& table) const;

    std::span<const ScheduledStep> steps() const { return steps_; }

    // Footprint::peak of such a network. Exact: sizes are whole numbers.
    Bytes peak(const Outline& outline, const LayerTable& table, const Execution& execution) const;

private:
    enum class Source : std::uint8_t { data, own_type, saved };
    // A buffer that begins or ends.
    struct Event {
        std::uint32_t of = 0;  // tensor, or of what is saved the layer
        Source source = Source::data;
        bool is_end = false;
    };

    std::vector<std::uint32_t> operands_;
    std::vector<std::uint64_t> traits_;
    std::vector<std::uint8_t> tensors_;  // role, and whether of a floating type
    std::vector<ScheduledStep> steps_;
    std::vector<Event> events_;  // in the order of execution, ends before beginnings
    std::vector<std::uint32_t> persistent_;
    std::vector<std::uint32_t> parameters_;
};

}  // namespace strata
