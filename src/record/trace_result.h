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

// A piece of work on a device and the layer's pass that it is (a part of).
struct TracedSpan {
    Span span = {};
    std::string layer = {};         // empty: not attributed
    std::optional<Pass> pass = {};  // nothing if the layer is unknown
    Evidence evidence = Evidence::no_record;

    bool operator==(const TracedSpan&) const = default;
};

// The result of recording a run's iterations.
struct TraceResult {
    std::string device = {};  // "NVIDIA H200"
    // The spans of the iteration of median length, in the order of their starts; those without
    // plausible stamps are last.
    std::vector<TracedSpan> spans = {};
    Samples windows = {};       // of every iteration: first start to last end
    Samples recorded = {};      // every iteration's time while it was recorded
    std::uint64_t dropped = 0;  // records that never arrived, of all iterations
};

// A trace of several iterations (trace/iterations.h) in the form that a run keeps; nothing if no
// iteration has a span with plausible stamps. `recorded`: their times by the backend.
std::optional<TraceResult> trace_result(const Trace& trace,
                                        std::span<const std::uint64_t> iterations, Samples recorded,
                                        const Graph& graph, const std::string& device);

// The time budget of the kept iteration on its device, and the layer names for the LayerIds in the
// budget's tasks: those of the spans, in the order of their first spans.
struct NamedBudget {
    TraceBudget budget = {};
    std::vector<std::string> layers = {};
};
NamedBudget budget_of(const TraceResult& result);

}  // namespace strata
