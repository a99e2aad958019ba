// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/file/order.h"
#include "networks/onnx/node/model_import.h"
#include "networks/onnx/node/row.h"

namespace strata {

// Adds one node to the graph: folded if all its inputs are constant, converted if an operator of
// ours expresses it, otherwise as an opaque layer with the reason. Throws Error with file and node
// if it is inconsistent. Requires: the nodes it reads from were imported before.
void import_node(ModelImport& import, const OrderedNode& node);

// Adds an initializer under a name: a constant, or an unknown value where its type is none of ours.
void add_initializer(ModelImport& import, const OnnxTensor& tensor, std::string_view name);

// Adds the tensors that exist before the first node: initializers become constants, the other
// inputs tensors of the graph. Stated shapes of intermediate tensors are recorded. Throws Error,
// naming the tensor.
void add_sources(ModelImport& import, std::span<const OrderedNode> nodes);

// Everything known about a node that becomes an opaque layer: by the rule or the likeness of its
// row, or else as if it computed in f32.
KnownResults known_results(const NodeImport& node);

// The most iterations of one loop, and the most nodes of all bodies together, that are unrolled.
inline constexpr std::int64_t max_unrolled = 1024;
inline constexpr std::int64_t max_nodes_of_bodies = 16384;

// Imports the body of an If whose condition is constant, of a Loop whose number of iterations is
// known, or of a Scan, once for each iteration, in place of the node. Throws Unsupported if the
// path depends on values or is too long.
void import_body(ModelImport& import, const OrderedNode& node);

}  // namespace strata
