// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"

namespace strata::cpu {

// Sets how many threads parallel regions have from now on (0: one for each of allowed_processors),
// and binds each to one processor, on cores of their own first (device/topology.h), or none.
// Returns their number.
int set_threads(int threads, bool pinned);

}  // namespace strata::cpu
