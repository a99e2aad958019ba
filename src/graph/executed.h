// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "graph/graph.h"

namespace strata {

// How an execution changes a graph: the types in which it holds tensors, and the passes it skips.

// The element type in which an execution holds a tensor. Activations and their gradients have the
// execution's type. Parameters that nothing updates, and constants, have it if it is narrower than
// their own. Parameters that a training step updates keep their own type, like the master weights
// of mixed precision, and so do running statistics and integers.
DataType held_type(DataType own, Role role, const Numerics& numerics);
Bytes held_bytes(const GraphTensor& tensor, const Numerics& numerics);

// The operands with the types in which an execution holds them.
Signature executed(Signature signature, const Numerics& numerics);

// Whether a pass has nothing to do because its result is its input under another name: reshapes,
// identities, and dropout in inference.
bool renames_input(const Op& op, Pass pass, Mode mode);

}  // namespace strata
