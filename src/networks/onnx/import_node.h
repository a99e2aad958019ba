// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/node_import.h"
#include "networks/onnx/order.h"

namespace strata {

// Adds one node to the graph: folded if all its inputs are constant, converted if an operator of
// ours expresses it, otherwise as an opaque layer with the reason. Throws Error with file and node
// if it is inconsistent. Requires: the nodes it reads from were imported before.
void import_node(ModelImport& import, const OrderedNode& node);

}  // namespace strata
