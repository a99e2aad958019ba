// SPDX-License-Identifier: MIT
#pragma once

#include "measure/machine_lock.h"

namespace strata {

// What to do while another strata process is measuring on this machine.
enum class WhenLocked { wait, measure_anyway };

// Holds the machine lock (measure/machine_lock.h) while it lives, so that other strata processes
// wait.
struct MeasuringLock {
    MachineLock lock;
    bool is_shared = false;  // another process is measuring too
};

// Waits until no other strata process is measuring on this machine, with a message if that takes
// time. An interrupt (cli/interrupt.h) ends the wait. `measure_anyway` does not wait.
MeasuringLock acquire_measuring_lock(WhenLocked when_locked);

}  // namespace strata
