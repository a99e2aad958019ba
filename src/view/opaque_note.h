// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <string>

namespace strata {

// One sentence on the layers of a foreign network that nothing here computes, with the first
// reasons; empty where there are none:
//
//   471 of 768 layers cannot be computed here, and a run skips them; the work of 12 of them is not
//   known, so that totals are at least what stands here: NonZero: the size of its result depends on
//   the values; Transpose: ...; a run lists more
std::string opaque_note(const Graph& graph);

}  // namespace strata
