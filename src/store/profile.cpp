// SPDX-License-Identifier: MIT
#include "store/profile.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"
#include "measure/statistics.h"
#include "store/kernels.h"
#include "store/statement.h"
#include "store/stored_values.h"

#include <fmt/format.h>

namespace strata {

namespace {

std::uint32_t count_at(const Statement& row, int column) {
    return static_cast<std::uint32_t>(row.integer(column));
}

LaunchExtent extent_at(const Statement& row, int column) {
    return {count_at(row, column), count_at(row, column + 1), count_at(row, column + 2)};
}

}  // namespace

std::optional<LaunchShape> launch_at(const Statement& row, int column) {
    if (row.is_null(column)) {
        return {};
    }
    return LaunchShape{.grid = extent_at(row, column),
                       .block = extent_at(row, column + 3),
                       .registers = count_at(row, column + 6),
                       .static_shared = {row.real(column + 7)},
                       .dynamic_shared = {row.real(column + 8)}};
}

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
        step_at(run, row.integer(1));  // must exist
        step.counted_at = static_cast<std::size_t>(row.integer(1));
    }
}

}  // namespace

void load_profile(const Database& database, Run& run) {
    run.trace = trace_of(database, run.id);
    load_metrics(database, run);
}

namespace {

class ProfileWriter {
public:
    ProfileWriter(const Database& database, std::int64_t run)
        : database_(database), run_(run), texts_(database) {}

    void insert(const TraceResult& trace, std::int64_t kernel_set) {
        const StoredSeries windows = stored(trace.windows);
        const StoredSeries recorded = stored(trace.recorded);
        Statement(
            database_,
            "INSERT INTO trace (run, device, kernel_set, dropped, window_ns, windows, recorded_ns, "
            "recorded) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
            .run(run_, texts_.id_of(trace.device), kernel_set, trace.dropped, windows.median,
                 pack(trace.windows.values), recorded.median, pack(trace.recorded.values));
        for (const TracedSpan& traced : trace.spans) {
            insert(traced);
        }
    }

    void insert(std::size_t position, const StepResult& step) {
        for (const MetricResult& metric : step.metrics) {
            const auto reason =
                metric.value ? std::nullopt : std::optional(texts_.id_of(metric.reason));
            metric_.run(run_, position, *step.counted_at, texts_.id_of(metric.name), metric.unit,
                        metric.value, reason);
        }
    }

private:
    void insert(const TracedSpan& traced) {
        const Span& span = traced.span;
        const auto layer = traced.pass ? std::optional(texts_.id_of(traced.layer)) : std::nullopt;
        const auto pass = traced.pass ? std::optional(name_of(*traced.pass)) : std::nullopt;
        const auto bytes =
            span.bytes ? std::optional(whole_count(span.bytes->value)) : std::nullopt;
        span_.run(run_, ++position_, name_of(span.kind), texts_.id_of(span.name), span.device,
                  span.stream, span.start.count(), span.end.count(), layer, pass,
                  name_of(traced.evidence), bytes);
        if (span.launch) {
            store_launch(*span.launch);
        }
    }

    void store_launch(const LaunchShape& launch) {
        launch_.run(launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y,
                    launch.block.z, launch.registers, whole_count(launch.static_shared.value),
                    whole_count(launch.dynamic_shared.value), run_, position_);
    }

    const Database& database_;
    std::int64_t run_;
    std::int64_t position_ = -1;
    TextTable texts_;
    Statement span_{database_,
                    "INSERT INTO trace_span (run, position, kind, name, device, stream, start_ns, "
                    "end_ns, layer, pass, evidence, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                    "?, ?)"};
    Statement launch_{database_,
                      "UPDATE trace_span SET grid_x = ?, grid_y = ?, grid_z = ?, block_x = ?, "
                      "block_y = ?, block_z = ?, registers = ?, static_shared = ?, "
                      "dynamic_shared = ? WHERE run = ? AND position = ?"};
    Statement metric_{database_,
                      "INSERT INTO step_metric (run, position, counted_at, metric, unit, value, "
                      "reason) VALUES (?, ?, ?, ?, ?, ?, ?)"};
};

bool has_trace(const Database& database, std::int64_t run) {
    Statement find(database, "SELECT 1 FROM trace WHERE run = ?");
    return find.start(run).next();
}

KernelSet kernels_of(const Run& run) {
    return {.created = run.created,
            .origin = run.origin,
            .network = run.settings.network,
            .run = run.id,
            .kernels = tracked_kernels(*run.trace, run.settings.batch)};
}

void store_counters(const Database& database, const Run& run, ProfileWriter& writer) {
    Statement find(database, "SELECT 1 FROM step_metric WHERE run = ? AND position = ?");
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        const StepResult& step = run.steps[i];
        if (step.counted_at && !find.start(run.id, i).next()) {
            writer.insert(i, step);
        }
    }
}

}  // namespace

void store_profile(const Database& database, const Run& run) {
    ProfileWriter writer(database, run.id);
    if (run.trace && !has_trace(database, run.id)) {
        KernelSet kernels = kernels_of(run);
        store_kernels_within(database, kernels);
        writer.insert(*run.trace, kernels.id);
    }
    store_counters(database, run, writer);
}

}  // namespace strata
