// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

namespace strata::testing {

// Convolution, batch normalisation, a shortcut that is added, and one that is convolved.
Graph residual_network();

// Branches that are concatenated, LRN, dropout over what convolutions leave, a flattened head.
Graph branching_network();

}  // namespace strata::testing
