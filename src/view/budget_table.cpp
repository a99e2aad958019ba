// SPDX-License-Identifier: MIT
#include "view/budget_table.h"

#include "view/cells.h"

#include <cmath>

namespace strata {

namespace {

class BudgetRows {
public:
    BudgetRows(const Budget& budget, Provenance provenance)
        : budget_(budget), provenance_(provenance) {}

    std::vector<Cell> line(const char* what, const std::optional<Estimate>& time) const {
        return {
            what,
            optional_cell(
                time, [&](const Estimate& t) { return time_cell(t, provenance_); }, why_missing()),
            time ? share(time->median) : Cell(Missing{})};
    }

    // a - b, a line between two others.
    std::vector<Cell> gap(const char* what, const std::optional<Estimate>& a,
                          const std::optional<Estimate>& b) const {
        if (!a || !b) {
            return {what, Missing{why_missing()}, Missing{}};
        }
        const Seconds time = without_rounding(a->median - b->median, a->median);
        return {what, time_cell(time), share(time)};
    }

private:
    const char* why_missing() const {
        return budget_.is_whole ? "not measured" : "the run is incomplete";
    }

    // Where stamps leave nothing between the steps, adding these up leaves a last digit of error.
    static Seconds without_rounding(Seconds gap, Seconds whole) {
        return std::abs(gap / whole) < 1e-9 ? Seconds{0} : gap;
    }

    Cell share(Seconds time) const {
        return budget_.end_to_end && budget_.end_to_end->median > Seconds{0}
                   ? percent_cell(time / budget_.end_to_end->median)
                   : Cell(Missing{});
    }

    const Budget& budget_;
    Provenance provenance_;
};

// Where caches were prepared before each step the two kinds of iterations did different things.
Table prepared_budget(const Budget& budget, const BudgetRows& rows) {
    Table table;
    table.title = "budget";
    table.columns = {{"part", "part", Importance::essential},
                     {"median_s", "time", Importance::essential}};
    table.rows = {rows.line("sum of the steps, caches prepared", budget.steps),
                  rows.gap("+ between the steps, preparing", budget.instrumented, budget.steps)};
    table.totals = {rows.line("= instrumented", budget.instrumented),
                    rows.line("end to end, caches as left", budget.end_to_end)};
    for (auto* lines : {&table.rows, &table.totals}) {
        for (std::vector<Cell>& line : *lines) {
            line.pop_back();
        }
    }
    table.notes = {
        "Instrumented iterations prepared the caches before each step, which end to end ones do "
        "not: "
        "the sum of the steps is not to be held against the end to end time."};
    return table;
}

}  // namespace

Table budget_table(const Budget& budget, Provenance provenance) {
    const BudgetRows rows(budget, provenance);
    if (!budget.is_comparable) {
        return prepared_budget(budget, rows);
    }
    Table table;
    table.title = "budget";
    table.columns = {{"part", "part", Importance::essential},
                     {"median_s", "time", Importance::essential},
                     {"share_percent", "of end to end", Importance::normal}};
    table.rows = {
        rows.line(budget.is_whole ? "sum of the steps" : "sum of the steps that ran", budget.steps),
        rows.gap("+ between the steps", budget.instrumented, budget.steps),
        rows.gap("− cost of the time stamps", budget.instrumented, budget.end_to_end)};
    table.totals = {rows.line("= end to end", budget.end_to_end),
                    rows.gap("residual (end to end − steps)", budget.end_to_end, budget.steps)};
    return table;
}

}  // namespace strata
