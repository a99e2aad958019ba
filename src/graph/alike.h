// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <vector>

namespace strata {

// By layer, the first one of the graph with an equal operator and tensors of equal shapes, types
// and roles: work, problem and predicted time of the one are those of the other. A deep network
// repeats few different layers.
std::vector<LayerId> first_alike(const Graph& graph);

// Operands as an execution holds them: activations and their gradients in its element type, whole
// numbers as they are, parameters in their own type.
Signature executed(Signature signature, DataType dtype);

}  // namespace strata
