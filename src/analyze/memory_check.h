// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

#include <optional>

namespace strata {

// The memory that a run used against its prediction:
//   ratio = (predicted + scratch) / measured
// Predicted is the peak of the network's own tensors by liveness. Scratch is the library's scratch
// memory, shared by all steps. Measured is the peak resident set of the process minus that before
// the network was prepared, so it includes copies in other layouts, generated code and thread
// stacks; on a device with its own memory it is what was allocated there.
struct MemoryCheck {
    std::optional<Bytes> predicted;  // nothing for an imported run, whose plan is unknown
    std::optional<Bytes> scratch;    // likewise
    std::optional<Bytes> measured;
    std::optional<double> ratio;  // nothing if nothing was measured or predicted
};

MemoryCheck memory_check_of(const Run& run);

}  // namespace strata
