// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

#include <optional>

namespace strata {

// What a run needed of memory against what was predicted of it:
//   ratio = (predicted + scratch) / measured
// Predicted is the peak by liveness of the network's own tensors; scratch is what the library asks
// for beside them, once for all steps; measured is the peak resident set of the process less what
// was resident before the network was prepared, so it holds copies in other layouts, generated code
// and the threads' stacks too; on a device of its own it is what was allocated there.
struct MemoryCheck {
    Bytes predicted;
    Bytes scratch;
    std::optional<Bytes> measured;
    std::optional<double> ratio;  // nothing where nothing was measured
};

MemoryCheck memory_check_of(const Run& run);

}  // namespace strata
