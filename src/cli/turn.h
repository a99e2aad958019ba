// SPDX-License-Identifier: MIT
#pragma once

#include "measure/machine_lock.h"

namespace strata {

// What to do where another strata measures on this machine.
enum class WhereTaken { wait, measure_anyway };

// The turn to measure on this machine: while it lives, other stratas wait.
struct Turn {
    MachineLock lock;
    bool is_shared = false;  // another one measures too
};

// Waits until no other strata measures on this machine, and says so where that takes time; a
// request to stop (cli/interrupt.h) ends the wait. `measure_anyway` does not wait.
Turn take_turn(WhereTaken where_taken);

}  // namespace strata
