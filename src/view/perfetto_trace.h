// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

#include <span>
#include <string>

namespace strata {

// The same (tracks_of) in Perfetto's own format, .pftrace: bytes of a perfetto.protos.Trace. Each
// run is a process whose tracks stand below it in order, and what a run's times are is the
// description of its process. Throws Error, exit code usage, where a run has no time.
std::string perfetto_trace(std::span<const Run> runs);

}  // namespace strata
