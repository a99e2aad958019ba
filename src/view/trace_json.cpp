// SPDX-License-Identifier: MIT
#include "view/trace_json.h"

#include "base/enumeration.h"
#include "trace/budget.h"

#include <nlohmann/json.hpp>

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

Json extent_json(const LaunchExtent& extent) {
    return {extent.x, extent.y, extent.z};
}

void add_launch(const LaunchShape& launch, Json& span) {
    span["grid"] = extent_json(launch.grid);
    span["block"] = extent_json(launch.block);
    span["registers"] = launch.registers;
    span["static_shared_bytes"] = static_cast<std::int64_t>(launch.static_shared.value);
    span["dynamic_shared_bytes"] = static_cast<std::int64_t>(launch.dynamic_shared.value);
}

Json span_json(const TracedSpan& traced) {
    const Span& span = traced.span;
    const bool timed = is_timed(span);
    Json shown = {{"kind", name_of(span.kind)},
                  {"name", span.name},
                  {"layer", traced.pass ? Json(traced.layer) : Json()},
                  {"pass", traced.pass ? Json(name_of(*traced.pass)) : Json()},
                  {"evidence", name_of(traced.evidence)},
                  {"stream", span.stream},
                  {"start_ns", timed ? Json(span.start.count()) : Json()},
                  {"end_ns", timed ? Json(span.end.count()) : Json()},
                  {"bytes", span.bytes ? Json(span.bytes->value) : Json()}};
    if (span.launch) {
        add_launch(*span.launch, shown);
    }
    return shown;
}

Json seconds(Nanoseconds time) {
    return seconds_of(time).value;
}

}  // namespace

nlohmann::ordered_json trace_json(const Run& run) {
    if (!run.trace) {
        return nullptr;
    }
    const TraceBudget budget = budget_of(*run.trace).budget;
    Json spans = Json::array();
    for (const TracedSpan& traced : run.trace->spans) {
        spans.push_back(span_json(traced));
    }
    const auto unattributed = unattributed_share(budget);
    return {{"device", run.trace->device},
            {"iterations", run.trace->windows.values.size()},
            {"window_s", seconds(budget.window)},
            {"attributed_s", seconds(budget.attributed)},
            {"unattributed_s", seconds(budget.unattributed)},
            {"unattributed_share", unattributed ? Json(*unattributed) : Json()},
            {"overlap_s", seconds(budget.overlap)},
            {"gaps_s", seconds(budget.gaps)},
            {"untimed_spans", budget.untimed},
            {"dropped_records", budget.dropped},
            {"spans", std::move(spans)}};
}

}  // namespace strata
