// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/node_import.h"
#include "networks/onnx/order.h"

namespace strata {

// Brings one node into the graph: folded where all it reads is constant, converted where an
// operator of ours expresses it, else as an opaque layer with the reason. Throws Error with file
// and node where it contradicts itself. Requires: the nodes it reads from were imported before.
void import_node(ModelImport& import, const OrderedNode& node);

}  // namespace strata
