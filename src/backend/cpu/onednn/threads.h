// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"

namespace strata::cpu {

// Sets the number of threads of later parallel regions (0: one for each of allowed_processors).
// Binds each, including the calling one, to one processor, separate cores first
// (device/topology.h), or to none, and makes denormal numbers count as zero in it. Returns their
// number.
int set_threads(int threads, bool pinned);

}  // namespace strata::cpu
