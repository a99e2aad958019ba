// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

#include <span>
#include <string>

namespace strata {

// Runs as chrome://tracing, Perfetto and other viewers of the Trace Event Format read them
// (tracks_of): a process for each run, a thread for each track, microseconds with three decimals,
// an event a line. Throws Error, exit code usage, where a run has no time.
std::string chrome_trace_json(std::span<const Run> runs);

}  // namespace strata
