// SPDX-License-Identifier: MIT
#pragma once

#include "trace/trace.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace strata {

// Why a span is attributed to the task that it is attributed to, or to none.
enum class Evidence {
    call,           // its call was made within the task's range
    node,           // the graph node that launched it was captured there
    no_record,      // nothing was recorded of its call: made outside all ranges, or dropped
    unknown_node,   // nothing was recorded of its graph node
    unknown_range,  // the range that was recorded is not known
    no_task,        // neither the range nor any around it is a layer's
    two_tasks,      // its call is recorded within ranges of different layers or passes
};
inline constexpr std::array<std::string_view, 7> names_of(Evidence) {
    return {"call",          "graph node", "no record", "unknown node",
            "unknown range", "no layer",   "two layers"};
}

// Which layer and pass a span belongs to.
struct Attribution {
    std::optional<Task> task = {};  // nothing: unattributed, and `evidence` says why
    std::uint64_t range = 0;        // the innermost range; 0: none known
    Evidence evidence = Evidence::no_record;
};

// One attribution for each span of the trace, in its order, by identity alone: the graph node that
// launched the span, else the correlation of its call. Names decide nothing: layers whose kernels
// are called the same stay apart, and a span without a record is never given to a likely layer.
std::vector<Attribution> attribute(const Trace& trace);

}  // namespace strata
