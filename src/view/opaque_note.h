// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <string>

namespace strata {

// One sentence on the layers of a foreign network that nothing here computes, with the first
// reasons; empty where there are none:
//
//   471 of 768 layers cannot be computed here; a run skips them, and their work is not counted:
//   NonZero: the size of its result depends on the values; Transpose: ...; a run lists more
std::string opaque_note(const Graph& graph);

}  // namespace strata
