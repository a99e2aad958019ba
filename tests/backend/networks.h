// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

namespace strata::testing {

// Convolution, batch normalisation, a shortcut with a sum, and one with a convolution.
Graph residual_network();

// Branches that are concatenated, LRN, dropout on a convolution's result, a flattened head.
Graph branching_network();

// A convolution "conv" with everything that may follow it in one operation, each on request: a
// bias, "norm", "sum" with the result of "before", "relu"; and a head that reads the result.
Graph fusable_chain(bool bias, bool normalized, bool sum);

}  // namespace strata::testing
