// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/node_import.h"

namespace strata {

// The most iterations of one loop, and the most nodes of all bodies together, that are unrolled.
inline constexpr std::int64_t max_unrolled = 1024;
inline constexpr std::int64_t max_nodes_of_bodies = 16384;

// Imports the body of an If whose condition is constant, of a Loop whose number of iterations is
// known, or of a Scan, once for each iteration, in place of the node. Throws Unsupported if the
// path depends on values or is too long.
void import_body(ModelImport& import, const OrderedNode& node);

}  // namespace strata
