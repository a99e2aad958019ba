// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

namespace strata::testing {

// Convolution, batch normalisation, a shortcut with a sum, and one with a convolution.
Graph residual_network();

// Branches that are concatenated, LRN, dropout on a convolution's result, a flattened head.
Graph branching_network();

}  // namespace strata::testing
