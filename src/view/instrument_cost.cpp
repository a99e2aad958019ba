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

void add_rows(const ComparedSide& side, Table& table) {
    if (side.runs.empty()) {
        table.rows.push_back({side.name, Missing{side.refusal}, Missing{}, Missing{}, Missing{}});
        return;
    }
    for (const InstrumentCost& cost : instrument_costs(side.runs)) {
        table.rows.push_back({side.name, cost.instrument, iteration_cell(cost.without),
                              iteration_cell(cost.with), optional_cell(cost.ratio, ratio_cell)});
    }
}

}  // namespace

Document instrument_cost_document(std::span<const ComparedSide> sides) {
    Table table{.records = "overheads"};
    table.columns = {
        {"side", "backend", Importance::essential},
        {"instrument", "instrument", Importance::essential},
        {"without_s", "without", Importance::essential, Audience::all, Bounds::interval},
        {"with_s", "with", Importance::essential, Audience::all, Bounds::interval},
        {"overhead_ratio", "with / without", Importance::essential, Audience::all,
         Bounds::interval}};
    for (const ComparedSide& side : sides) {
        add_rows(side, table);
    }
    table.notes = {
        "An iteration without the instrument and one with it are timed in turn, in each process.",
        "Results cite iterations without instruments end to end; only the steps' own times are "
        "taken with time stamps."};
    return {.title = "what measuring costs", .blocks = {std::move(table)}, .kind = "overhead"};
}

}  // namespace strata
