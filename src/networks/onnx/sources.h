// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/node_import.h"
#include "networks/onnx/order.h"

#include <span>

namespace strata {

// Adds the tensors that exist before the first node: initializers become constants, the other
// inputs tensors of the graph. Stated shapes of intermediate tensors are recorded. Throws Error,
// naming the tensor.
void add_sources(ModelImport& import, std::span<const OrderedNode> nodes);

}  // namespace strata
