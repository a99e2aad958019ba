// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"
#include "measure/measurement.h"
#include "trace/attribute.h"
#include "trace/budget.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// A piece of work on a device and the layer's pass that it does (a part of).
struct TracedSpan {
    Span span = {};
    std::string layer = {};         // empty: not attributed
    std::optional<Pass> pass = {};  // nothing where the layer is not known
    Evidence evidence = Evidence::no_record;

    bool operator==(const TracedSpan&) const = default;
};

// The result of recording a run's iterations.
struct TraceResult {
    std::string device = {};  // "NVIDIA H200"
    // Of one iteration, the one whose length is the median, in the order of their starts; what has
    // no plausible stamps stands last.
    std::vector<TracedSpan> spans = {};
    Samples windows = {};       // of every iteration: first start to last end
    Samples recorded = {};      // every iteration's time while it was recorded
    std::uint64_t dropped = 0;  // records that never arrived, of all iterations
};

// A trace of several iterations (trace/iterations.h) as a run keeps it; nothing where no iteration
// has a span with plausible stamps. `recorded` as the backend timed them.
std::optional<TraceResult> trace_result(const Trace& trace,
                                        std::span<const std::uint64_t> iterations, Samples recorded,
                                        const Graph& graph, const std::string& device);

// What the kept iteration's time went to, on its one device, and the names of the layers that the
// budget's tasks mean, by LayerId: those of the spans, in the order of their first ones.
struct NamedBudget {
    TraceBudget budget = {};
    std::vector<std::string> layers = {};
};
NamedBudget budget_of(const TraceResult& result);

}  // namespace strata
