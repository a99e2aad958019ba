// SPDX-License-Identifier: MIT
#include "store/profile.h"

#include "store/kernels.h"
#include "store/tables.h"

#include <utility>

namespace strata {

namespace {

std::optional<TraceResult> trace_of(const Database& database, std::int64_t run) {
    auto row = row_of<trace_table>(database, "WHERE run = ?", run);
    if (!row) {
        return {};
    }
    auto& [key, trace] = *row;
    TraceResult result{.device = std::move(trace.device),
                       .windows = {std::move(trace.windows)},
                       .recorded = {std::move(trace.recorded)},
                       .dropped = trace.dropped};
    for (auto& [span_key, span] : rows_of_run<trace_span_table>(database, run)) {
        result.spans.push_back(std::move(span));
    }
    return result;
}

void load_metrics(const Database& database, Run& run) {
    for (auto& [key, metric] : rows_of<step_metric_table>(
             database, "WHERE run = ? ORDER BY position, step_metric.metric", run.id)) {
        step_at(run, key.counted_at);  // must exist
        StepResult& step = step_at(run, key.position);
        step.metrics.push_back(std::move(metric));
        step.counted_at = static_cast<std::size_t>(key.counted_at);
    }
}

StoredTrace stored_trace(const TraceResult& trace, std::int64_t kernel_set) {
    return {.device = trace.device,
            .kernel_set = kernel_set,
            .dropped = trace.dropped,
            .window = stored(trace.windows).median,
            .windows = trace.windows.values,
            .recorded_time = stored(trace.recorded).median,
            .recorded = trace.recorded.values};
}

void store_trace(TableWriter& to, const Run& run, const TraceResult& trace) {
    KernelSet kernels{.created = run.created,
                      .origin = run.origin,
                      .network = run.settings.network,
                      .run = run.id,
                      .kernels = tracked_kernels(trace, run.settings.batch)};
    store_kernels_within(to, kernels);
    to.add<trace_table>(OfRun{run.id}, stored_trace(trace, kernels.id));
    for (std::size_t i = 0; i < trace.spans.size(); ++i) {
        // The schema wants a layer with its pass, or neither.
        TracedSpan span = trace.spans[i];
        span.layer = span.pass ? span.layer : "";
        to.add<trace_span_table>(OfStep{run.id, static_cast<std::int64_t>(i)}, span);
    }
}

void store_counters(TableWriter& to, const Run& run) {
    Statement find(to.database(), "SELECT 1 FROM step_metric WHERE run = ? AND position = ?");
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        const StepResult& step = run.steps[i];
        if (!step.counted_at || find.start(run.id, i).next()) {
            continue;
        }
        for (const MetricResult& metric : step.metrics) {
            to.add<step_metric_table>(OfCountedStep{run.id, static_cast<std::int64_t>(i),
                                                    static_cast<std::int64_t>(*step.counted_at)},
                                      metric);
        }
    }
}

}  // namespace

void load_profile(const Database& database, Run& run) {
    run.trace = trace_of(database, run.id);
    load_metrics(database, run);
}

void store_profile(TableWriter& to, const Run& run) {
    if (run.trace && !row_of<trace_table>(to.database(), "WHERE run = ?", run.id)) {
        store_trace(to, run, *run.trace);
    }
    store_counters(to, run);
}

}  // namespace strata
