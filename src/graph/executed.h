// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "graph/graph.h"

namespace strata {

// What an execution makes of a graph: in which types it holds tensors, and which passes it skips.

// The element type in which an execution holds a tensor of its own type. Activations and their
// gradients have the execution's. Parameters that nothing updates, and constants, are kept in it
// where it is narrower. Those that a training step updates keep their own, as the masters of mixed
// precision do, and so do running statistics. Whole numbers keep their own, too.
DataType held_type(DataType own, Role role, const Numerics& numerics);
Bytes held_bytes(const GraphTensor& tensor, const Numerics& numerics);

// Operands in the types in which an execution holds them.
Signature executed(Signature signature, const Numerics& numerics);

// Whether a pass has nothing to do, because its result is its input under another name: reshapes,
// identities, and dropout where nothing is trained.
bool renames_input(const Op& op, Pass pass, Mode mode);

}  // namespace strata
