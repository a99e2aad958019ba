// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <string>

namespace strata {

// One sentence on the layers of a foreign network that cannot be computed here, with the first
// reasons; empty if there are none:
//
//   471 of 768 layers cannot be computed here, and a run skips them; the work of 12 of them is
//   unknown, so the totals are lower bounds: NonZero: the size of its result depends on the values;
//   Transpose: ...; a run lists more
std::string opaque_note(const Graph& graph);

}  // namespace strata
