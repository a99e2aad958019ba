// SPDX-License-Identifier: MIT
#pragma once

#include "trace/trace.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace strata {

// The spans of each iteration of a trace, by index, in the trace's order. `iterations` are the
// ranges around them, in order. A span belongs to the iteration in which its call was made (for a
// recorded graph, the call that launched the graph). If its call was not recorded, it belongs to
// the last iteration that had begun when it ran. Spans before the first iteration belong to none.
// If calls do not distinguish a graph's launches, its nodes do: each runs once in an iteration, and
// the last times that it ran are those of the iterations.
std::vector<std::vector<std::size_t>> spans_by_iteration(const Trace& trace,
                                                         std::span<const std::uint64_t> iterations);

// Whether calls distinguish a graph's launches: if so, no node runs twice in one iteration, in an
// iteration order that differs from its start times, or in no iteration when it should.
bool calls_tell_launches_apart(const Trace& trace, std::span<const std::uint64_t> iterations);

}  // namespace strata
