// SPDX-License-Identifier: MIT
#pragma once

#include "trace/attribute.h"
#include "trace/timeline.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace strata {

// The time of one task on a device.
struct TaskSpans {
    Task task = {};
    std::size_t spans = 0;
    std::size_t untimed = 0;  // of these, without plausible stamps: `time` is a lower bound
    Nanoseconds time = {};    // sum of its spans; overlapping ones count whole
    Nanoseconds waited = {};  // launch gaps that one of its spans ended: the device waited for it
};

// How one device's time was spent. It closes to the nanosecond:
//   tasks + unattributed - overlap + gaps = window.
struct TraceBudget {
    std::vector<TaskSpans> tasks = {};                        // in the order of their first spans
    Nanoseconds attributed = {};                              // sum of the tasks
    Nanoseconds unattributed = {};                            // of spans without a task
    std::map<Evidence, std::size_t> unattributed_spans = {};  // how many, by reason
    Nanoseconds overlap = {};                                 // counted more than once above
    Nanoseconds gaps = {};                                    // the device did nothing
    Nanoseconds window = {};                                  // first start to last end
    std::size_t untimed = 0;                                  // spans in none of these sums
    std::uint64_t dropped = 0;                                // records that never arrived
};

// `attributions`: the result of `attribute` for the trace.
TraceBudget budget_of(const Trace& trace, std::span<const Attribution> attributions,
                      std::uint32_t device);

// The fraction of the spans' time without a known layer, 0 to 1; nothing if no span has a time.
std::optional<double> unattributed_share(const TraceBudget& budget);

}  // namespace strata
