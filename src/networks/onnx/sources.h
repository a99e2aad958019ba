// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/node_import.h"
#include "networks/onnx/order.h"

#include <span>

namespace strata {

// Everything that stands in a model before its first node does anything: initializers become
// constants, the other inputs tensors of the graph; what the file states of tensors within is
// noted. Throws Error, naming the tensor.
void add_sources(ModelImport& import, std::span<const OrderedNode> nodes);

}  // namespace strata
