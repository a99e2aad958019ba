// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"
#include "record/run.h"

#include <span>

namespace strata {

// What a script must know of runs that are shown together, by the exit code alone: failed where a
// step of one failed, machine_cannot where one could not run here, unstable where a run is not as
// precise as asked. A size of a sweep that cannot run at all is a result of the sweep, as long as
// another size did run.
ExitCode exit_code_of(std::span<const Run> runs);

// The one of two that matters more: failed, then machine_cannot, then unstable, then done.
ExitCode graver(ExitCode a, ExitCode b);

}  // namespace strata
