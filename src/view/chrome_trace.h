// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

#include <string>

namespace strata {

// A run's trace as chrome://tracing, Perfetto and Nsight-like viewers read it (the Trace Event
// Format): a track for each stream with every kernel, copy and fill, and one above them with the
// layers' passes, each from the first start to the last end of its spans in a row. Microseconds
// from the first start. Throws Error, exit code usage, where the run holds no trace.
std::string chrome_trace_json(const Run& run);

}  // namespace strata
