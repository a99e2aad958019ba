// SPDX-License-Identifier: MIT
#include "view/instrument_cost.h"

#include "analyze/instrument_cost.h"
#include "view/cells.h"

#include <fmt/format.h>

namespace strata {

namespace {

Cell iteration_cell(const std::optional<Estimate>& time) {
    return optional_cell(
        time, [](const Estimate& t) { return time_cell(t, Provenance::measured); }, "not measured");
}

void add_row(const std::string& side, const InstrumentCost& cost, Table& table) {
    table.rows.push_back({side, cost.instrument, iteration_cell(cost.without),
                          iteration_cell(cost.with), optional_cell(cost.ratio, ratio_cell)});
}

void add_rows(const InstrumentedSide& measured, Table& table) {
    const ComparedSide& side = measured.side;
    if (side.runs.empty()) {
        table.rows.push_back({side.name, Missing{side.refusal}, Missing{}, Missing{}, Missing{}});
        return;
    }
    for (const InstrumentCost& cost : instrument_costs(side.runs, measured.step_timer)) {
        add_row(side.name, cost, table);
    }
    if (measured.profiler.empty()) {
        return;
    }
    if (measured.profiled.runs.empty()) {
        table.rows.push_back({side.name, measured.profiler, Missing{},
                              Missing{measured.profiled.refusal}, Missing{}});
        return;
    }
    add_row(side.name, instrument_cost(measured.profiler, side.runs, measured.profiled.runs),
            table);
}

}  // namespace

Document instrument_cost_document(std::span<const InstrumentedSide> sides) {
    Table table{.records = "overheads"};
    table.columns = {
        {"side", "backend", Importance::essential},
        {"instrument", "instrument", Importance::essential},
        {"without_s", "without", Importance::essential, Audience::all, Bounds::interval},
        {"with_s", "with", Importance::essential, Audience::all, Bounds::interval},
        {"overhead_ratio", "with / without", Importance::essential, Audience::all,
         Bounds::interval}};
    for (const InstrumentedSide& side : sides) {
        add_rows(side, table);
    }
    add_origin(table, Origin::measured);
    table.notes = {
        "Iterations without and with an instrument are timed in turn within each process. A "
        "framework's profiler records a whole process, so neighbouring processes are compared.",
        "Results for a whole iteration come from iterations without instruments; only the times of "
        "steps are taken with one."};
    return {.title = "what measuring costs", .blocks = {std::move(table)}, .kind = "overhead"};
}

}  // namespace strata
