// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <string>

namespace strata {

// One sentence on the layers of a foreign network that nothing here computes, with the first
// reasons; empty where there are none:
//
//   471 of 768 layers cannot be computed here and are skipped by a run, their work is not counted:
//   NonZero: how much it gives depends on the values; Transpose: ...; and more that a run tells
std::string opaque_note(const Graph& graph);

}  // namespace strata
