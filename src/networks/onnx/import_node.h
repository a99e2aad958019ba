// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/file/order.h"
#include "networks/onnx/node/model_import.h"
#include "networks/onnx/node/row.h"

namespace strata {

// Adds one node to the graph: folded if all its inputs are constant, converted if our operators can
// express it, otherwise as an opaque layer with the reason. Throws Error with file and node if the
// node is inconsistent. Requires: the nodes it reads from were imported before.
void import_node(ModelImport& import, const OrderedNode& node);

// Adds an initializer under a name: a constant, or an unknown value if we do not have its type.
void add_initializer(ModelImport& import, const OnnxTensor& tensor, std::string_view name);

// Adds the tensors that exist before the first node: initializers become constants, other inputs
// become tensors of the graph. Records the stated shapes of intermediate tensors. Throws Error that
// names the tensor.
void add_sources(ModelImport& import, std::span<const OrderedNode> nodes);

// Everything known about a node that becomes an opaque layer: by the rule or the likeness in its
// row, or else as if it computed in f32.
KnownResults known_results(const NodeImport& node);

// The unrolling limits: iterations of one loop, and nodes of all bodies together.
inline constexpr std::int64_t max_unrolled = 1024;
inline constexpr std::int64_t max_nodes_of_bodies = 16384;

// Imports a body in place of its node: of an If with a constant condition, of a Loop with a known
// number of iterations, or of a Scan, once for each iteration. Throws Unsupported if the path
// depends on values or is too long.
void import_body(ModelImport& import, const OrderedNode& node);

}  // namespace strata
