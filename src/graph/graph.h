// SPDX-License-Identifier: MIT
#pragma once

#include "op/op.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

using TensorId = std::size_t;  // index into Graph::tensors
using LayerId = std::size_t;   // index into Graph::layers

// The storage order of a matrix; any other tensor is row-major.
enum class MatrixOrder { row_major, column_major };

// Values that came with a network: every element, or a single element that all are equal to (so a
// constant fill of any size costs nothing). An unaligned view, plus the owner that keeps its memory
// alive (usually a mapped model file, so ownership is shared).
struct TensorData {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
    MatrixOrder order = MatrixOrder::row_major;  // column_major: the file stores the transpose
};

// A named edge of the network. The result of an opaque layer may have an unknown shape: one extent
// of 0.
struct GraphTensor {
    std::string name;
    Tensor tensor;
    Role role = Role::activation;
    std::optional<TensorData> data = {};  // absent: drawn at random before a run
};

// One node: an operator applied to tensors. Inputs are in the operator's order of operands,
// activations first, then its parameters.
struct Layer {
    std::string name;  // unique in the graph; a run's results, ids and comparisons use it
    Op op;
    std::vector<TensorId> inputs;
    std::vector<TensorId> outputs;
    std::string alias = {};   // the file's name for it if that differs from `name`, else empty
    std::string source = {};  // the source line that created it: "net.py:12"; or empty
};

// Whether a glob matches a layer by its name or alias.
bool is_called(const Layer& layer, std::string_view glob);

// A network: layers in topological order over named tensors. A plain value; every reader (zoo,
// ONNX, text, DNNMark, generator) yields one that `validate` accepts.
struct Graph {
    std::string name;
    std::vector<GraphTensor> tensors;
    std::vector<Layer> layers;
    std::vector<TensorId> inputs;   // roles input and label
    std::vector<TensorId> outputs;  // the tensors that the network computes for its user
    // Why training it differs from training the network that it was made from, one sentence each.
    std::vector<std::string> training_doubts = {};
};

// Shapes and roles of everything that a layer reads or writes.
Signature signature_of(const Graph& graph, const Layer& layer);

// Layers that read a tensor, in order.
std::vector<std::vector<LayerId>> consumers_of(const Graph& graph);

// The layer that computes a tensor; nothing for inputs, parameters and constants.
std::vector<std::optional<LayerId>> producers_of(const Graph& graph);

// Extent of the outermost axis of the first input; 1 for a network without inputs.
std::int64_t batch_of(const Graph& graph);

// Number of trained values.
std::int64_t parameter_count(const Graph& graph);

// Throws Error, naming the layer, if names repeat, an index is out of range, a layer reads what a
// later one computes, or a shape differs from its operator's rule.
void validate(const Graph& graph);

// The layers that match a glob, as a separate graph: tensors from outside become inputs. Throws
// Error if nothing matches.
Graph slice(const Graph& graph, std::string_view layer_glob);

// For each layer, the first layer with an equal operator and tensors of equal shapes, types and
// roles: both have the same work, problem and predicted time. A deep network repeats few different
// layers.
std::vector<LayerId> first_alike(const Graph& graph);

// Operands as an execution holds them: activations and their gradients in its element type,
// integers and parameters in their own.
Signature executed(Signature signature, DataType dtype);

}  // namespace strata
