// SPDX-License-Identifier: MIT
#include "view/budget_table.h"

#include "analyze/advice.h"
#include "report/format.h"
#include "view/cells.h"

#include <fmt/format.h>

#include <algorithm>
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

    // A row for the difference of two others; says so if the difference may be zero.
    std::vector<Cell> gap(const char* what, const std::optional<Difference>& gap) const {
        if (!gap) {
            return {what, Missing{why_missing()}, Missing{}};
        }
        return gap->is_seen() ? seen(what, *gap) : unseen(what, *gap);
    }

private:
    const char* why_missing() const {
        return !budget_.is_whole      ? "the run is incomplete"
               : budget_.is_disturbed ? "other programs delayed the iterations"
                                      : "not measured";
    }

    std::vector<Cell> seen(const char* what, const Difference& gap) const {
        Number time{.value = gap.time.value, .unit = "s"};
        time.low = std::min(gap.low, gap.time).value;
        time.high = std::max(gap.high, gap.time).value;
        return {what, time, share(gap.time)};
    }

    static std::vector<Cell> unseen(const char* what, const Difference& gap) {
        const double limit = gap.limit().value;
        const std::string reason =
            !std::isfinite(limit) ? "unknown from a single sample"
            : limit < 1e-9        ? "none"
                                  : fmt::format("none detected (below ± {})",
                                                number_text(Number{.value = limit, .unit = "s"}));
        return {what, Missing{reason}, Missing{}};
    }

    Cell share(Seconds time) const {
        return budget_.end_to_end && budget_.end_to_end->median > Seconds{0}
                   ? percent_cell(time / budget_.end_to_end->median)
                   : Cell(Missing{});
    }

    const Budget& budget_;
    Provenance provenance_;
};

// Subtracts the cost of the stamps; if iterations with stamps are faster, adds the difference.
std::vector<Cell> stamps_row(const BudgetRows& rows, const Budget& budget) {
    if (!budget.stamps || budget.stamps->high >= Seconds{0}) {
        return rows.gap("− cost of the time stamps", budget.stamps);
    }
    const Difference& stamps = *budget.stamps;
    return rows.gap("+ slower without time stamps",
                    Difference{-stamps.time, -stamps.high, -stamps.low});
}

// If caches were prepared before each step, the two kinds of iterations did different work.
Table prepared_budget(const Budget& budget, const BudgetRows& rows) {
    Table table;
    table.title = "budget";
    table.columns = {{"part", "part", Importance::essential},
                     {"median_s", "time", Importance::essential}};
    table.rows = {rows.line("sum of the steps, with prepared caches", budget.steps),
                  rows.gap("+ between the steps, including preparation", budget.between)};
    table.totals = {rows.line("= instrumented", budget.instrumented),
                    rows.line("end to end, caches as left", budget.end_to_end)};
    for (auto* lines : {&table.rows, &table.totals}) {
        for (std::vector<Cell>& line : *lines) {
            line.pop_back();
        }
    }
    table.notes = {
        "Instrumented iterations prepared the caches before each step and end to end iterations "
        "did not, so the sum of the steps cannot be compared with the end to end time."};
    return table;
}

std::string note_on_empty_step(const Budget& budget) {
    const Seconds one = *budget.empty_step;
    return budget.counts_calls()
               ? fmt::format(
                     "A step that does nothing takes {}: calling the framework for {} "
                     "steps takes {}.",
                     duration(one), budget.steps_timed,
                     duration(static_cast<double>(budget.steps_timed) * one))
               : fmt::format("A step that does nothing would take {}, the cost of its time stamps.",
                             duration(one));
}

// For a backend whose steps differ from what an uninstrumented iteration does.
std::string note_on_residual(const Budget& budget) {
    const Seconds excess = -budget.unexplained->time;
    std::string note = fmt::format(
        "The steps add up to {:.0f} % {} than an iteration without "
        "instruments.",
        100 * std::abs(budget.residual->value), excess > Seconds{} ? "more" : "less");
    if (budget.empty_step && budget.counts_calls() && excess > Seconds{}) {
        const double calls = static_cast<double>(budget.steps_timed) * *budget.empty_step / excess;
        note += calls < 1
                    ? fmt::format(" Calling the framework for each explains {:.0f} % of that.",
                                  100 * calls)
                    : " Calling the framework for each explains all of that.";
    }
    return note + " " + budget.apart;
}

// "58 of 60 end to end iterations".
std::string delayed_text(const Estimate& time, const char* what) {
    const std::size_t others = time.use == SampleUse::disturbed ? 0 : time.disturbed;
    return fmt::format("{} of {} {}", time.disturbed, time.samples + others, what);
}

// Explains why the totals disagree if other programs delayed iterations.
void explain_delays(Table& table, const Budget& budget) {
    std::vector<std::string> delayed;
    for (const auto& [time, what] :
         {std::pair(&budget.end_to_end, "end to end iterations"),
          std::pair(&budget.instrumented, "iterations with time stamps")}) {
        if (*time && (*time)->disturbed > 0) {
            delayed.push_back(delayed_text(**time, what));
        }
    }
    if (delayed.empty() && !budget.is_disturbed) {
        return;
    }
    const std::string told =
        delayed.empty() ? "the steps" : fmt::format("{}", fmt::join(delayed, " and "));
    table.notes.push_back(
        budget.is_disturbed
            ? fmt::format("Other programs delayed {}. Times with too few undisturbed samples "
                          "include the delays, so the parts do not add up: steps are shorter than "
                          "an iteration and are delayed less often.",
                          told)
            : fmt::format("Other programs delayed {}, which are left out.", told));
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
        rows.gap("+ between the steps", budget.between), stamps_row(rows, budget)};
    table.totals = {rows.line("= end to end", budget.end_to_end),
                    rows.gap("residual (end to end − steps)", budget.unexplained)};
    explain_delays(table, budget);
    if (budget.empty_step) {
        table.notes.push_back(note_on_empty_step(budget));
    }
    constexpr double worth_a_word = 0.05;
    if (!budget.apart.empty() && budget.residual &&
        std::abs(budget.residual->value) > worth_a_word) {
        table.notes.push_back(note_on_residual(budget));
    }
    return table;
}

}  // namespace strata
