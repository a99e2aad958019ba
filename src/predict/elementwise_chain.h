// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "graph/graph.h"

#include <vector>

namespace strata {

// Layers that a compiler makes one kernel of: elementwise operators, normalisations and softmax
// over tensors of equally many elements, each of which reads a result of those before it.
struct ElementwiseChain {
    std::vector<LayerId> layers;  // in order; at least two
    Bytes traffic;  // what it reads from outside, and of its results what is read there, each once
};

// The chains of an inference. A layer continues the chain of the operand that was computed last;
// its other operands exist before that chain begins, or are of it.
std::vector<ElementwiseChain> elementwise_chains(const Graph& graph, const Numerics& numerics);

}  // namespace strata
