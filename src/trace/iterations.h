// SPDX-License-Identifier: MIT
#pragma once

#include "trace/trace.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace strata {

// The spans of each iteration of a trace, by index, in the trace's order. `iterations` are the
// ranges around them, in the order in which they were done. A span belongs to the iteration that
// its call was made in (of a recorded graph: the call that launched the graph). One whose call was
// not recorded belongs to the iteration that it ran in: the last to have begun by then. What came
// before the first iteration belongs to none.
std::vector<std::vector<std::size_t>> spans_by_iteration(const Trace& trace,
                                                         std::span<const std::uint64_t> iterations);

}  // namespace strata
