// SPDX-License-Identifier: MIT
#pragma once

#include "graph/builder.h"
#include "graph/plan.h"

#include <cstdint>
#include <unordered_map>

namespace strata {

// A network without names, for sweeps over thousands of networks: each layer is an index into the
// few different layers of a LayerTable, plus its tensors. Shapes are indices too, so networks that
// have a layer in common share what is known about it.

using ShapeId = std::uint32_t;
using KindId = std::uint32_t;

struct OutlineTensor {
    ShapeId shape = 0;
    Role role = Role::activation;

    bool operator==(const OutlineTensor&) const = default;
};

// Equal layers (graph/graph.h): one operator on operands of these shapes and roles.
struct LayerKind {
    Op op;
    std::vector<OutlineTensor> activations;
    std::vector<OutlineTensor> parameters;
    std::vector<ShapeId> outputs;
    Signature signature;
    Bytes saved;  // by the forward pass for the backward passes
    std::uint64_t traits =
        0;                 // everything except sizes that schedule, sharing and lifetimes depend on
    KindId successor = 0;  // the kind that followed last time, tried first
};

// Every shape and kind of layer seen so far.
class LayerTable {
public:
    ShapeId shape_id(const Tensor& tensor);
    const Tensor& shape(ShapeId id) const { return shapes_[id]; }
    std::size_t shapes() const { return shapes_.size(); }
    Bytes bytes(ShapeId id) const { return bytes_[id]; }
    // The bytes of values and gradients, in the execution's element type.
    Bytes data_bytes(ShapeId id, DataType dtype) const;
    // The bytes of what always exists (graph/graph.h).
    Bytes held_bytes(const OutlineTensor& tensor, const Numerics& numerics) const;

    // The kind of such a layer. Throws Error if the shapes do not fit.
    KindId kind_id(Op op, std::span<const OutlineTensor> activations);
    const LayerKind& kind(KindId id) const { return kinds_[id]; }
    std::size_t kinds() const { return kinds_.size(); }
    bool is(KindId id, const Op& op, std::span<const OutlineTensor> activations) const;
    // The kind that followed this one last time, tried before the table is searched.
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
    // Activations, parameters and outputs of each layer, one layer after another.
    std::vector<std::uint32_t> operands;
    std::vector<std::uint64_t> traits;  // by layer

    // Whether this is an outline of the graph.
    bool is_of(const Graph& graph, const LayerTable& table) const;
};

// Builds outlines one after another in the same memory. For inference it changes a final loss as
// `for_inference` does.
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
    std::vector<OutlineTensor> activations_;  // of the layer being added
};

// The properties shared by networks of one structure whatever their sizes: the order of the passes,
// and the lifetimes of the tensors in memory. Derived once, the slow way, from one plan.
class Structure {
public:
    Structure(const Plan& plan, const Outline& outline, const LayerTable& table);

    // Whether a network has this structure.
    bool fits(const Outline& outline, const LayerTable& table) const;

    std::span<const ScheduledStep> steps() const { return steps_; }

    // Footprint::peak of such a network. Exact, because sizes are integers.
    Bytes peak(const Outline& outline, const LayerTable& table, const Execution& execution) const;

private:
    enum class Source : std::uint8_t { data, own_type, saved };
    // A buffer that begins or ends.
    struct Event {
        std::uint32_t of = 0;  // a tensor; for saved state, a layer
        Source source = Source::data;
        bool is_end = false;
    };

    std::vector<std::uint32_t> operands_;
    std::vector<std::uint64_t> traits_;
    std::vector<std::uint8_t> tensors_;  // its role, and whether its type is floating
    std::vector<ScheduledStep> steps_;
    std::vector<Event> events_;  // in order of execution, ends before beginnings
    std::vector<std::uint32_t> persistent_;
    std::vector<std::uint32_t> parameters_;
};

}  // namespace strata
