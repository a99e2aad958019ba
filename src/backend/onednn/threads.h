// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"

namespace strata::onednn {

// Processors that this process may use, as the process was started.
int allowed_processors();

// Sets how many threads parallel regions have from now on (0: one for each allowed processor), and
// binds each to one processor, or none. Returns their number.
int set_threads(int threads, bool pinned);

}  // namespace strata::onednn
