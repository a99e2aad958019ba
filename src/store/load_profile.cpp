// SPDX-License-Identifier: MIT
#include "store/profile_rows.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"
#include "store/statement.h"
#include "store/stored_values.h"

#include <fmt/format.h>

namespace strata {

namespace {

TracedSpan span_of(const Statement& row) {
    TracedSpan traced{.span = {.kind = parse_stored<SpanKind>(row.text(0)),
                               .name = row.text(1),
                               .device = static_cast<std::uint32_t>(row.integer(2)),
                               .stream = static_cast<std::uint32_t>(row.integer(3)),
                               .start = Nanoseconds(row.integer(4)),
                               .end = Nanoseconds(row.integer(5)),
                               .launch = launch_at(row, 10)},
                      .layer = row.text(6),
                      .evidence = parse_stored<Evidence>(row.text(8))};
    if (!row.is_null(7)) {
        traced.pass = parse_pass(row.text(7));
    }
    if (!row.is_null(9)) {
        traced.span.bytes = Bytes{row.real(9)};
    }
    return traced;
}

std::vector<TracedSpan> spans_of(const Database& database, std::int64_t run) {
    Statement row(database,
                  "SELECT kind, name.value, device, stream, start_ns, end_ns, layer.value, pass, "
                  "evidence, bytes, grid_x, grid_y, grid_z, block_x, block_y, block_z, registers, "
                  "static_shared, dynamic_shared FROM trace_span "
                  "JOIN text AS name ON name.id = trace_span.name "
                  "LEFT JOIN text AS layer ON layer.id = trace_span.layer "
                  "WHERE run = ? ORDER BY position");
    std::vector<TracedSpan> spans;
    for (row.start(run); row.next();) {
        spans.push_back(span_of(row));
    }
    return spans;
}

std::optional<TraceResult> trace_of(const Database& database, std::int64_t run) {
    Statement row(database,
                  "SELECT text.value, dropped, windows, recorded FROM trace "
                  "JOIN text ON text.id = device WHERE run = ?");
    if (!row.start(run).next()) {
        return {};
    }
    return TraceResult{.device = row.text(0),
                       .spans = spans_of(database, run),
                       .windows = {unpack(row.bytes(2))},
                       .recorded = {unpack(row.bytes(3))},
                       .dropped = static_cast<std::uint64_t>(row.integer(1))};
}

MetricResult metric_of(const Statement& row) {
    return {.name = row.text(2),
            .unit = row.text(3),
            .value = row.is_null(4) ? std::nullopt : std::optional(row.real(4)),
            .reason = row.text(5)};
}

void load_metrics(const Database& database, Run& run) {
    Statement row(database,
                  "SELECT position, counted_at, metric.value, unit, step_metric.value, "
                  "reason.value FROM step_metric JOIN text AS metric ON metric.id = metric "
                  "LEFT JOIN text AS reason ON reason.id = reason "
                  "WHERE run = ? ORDER BY position, metric");
    for (row.start(run.id); row.next();) {
        StepResult& step = step_at(run, row.integer(0));
        step.metrics.push_back(metric_of(row));
        step_at(run, row.integer(1));  // must be there
        step.counted_at = static_cast<std::size_t>(row.integer(1));
    }
}

}  // namespace

void load_profile(const Database& database, Run& run) {
    run.trace = trace_of(database, run.id);
    load_metrics(database, run);
}

}  // namespace strata
