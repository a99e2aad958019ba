// SPDX-License-Identifier: MIT
#include "view/trace_budget.h"

#include "base/enumeration.h"
#include "view/cells.h"

#include <fmt/format.h>

namespace strata {

namespace {

class TraceRows {
public:
    explicit TraceRows(const TraceBudget& budget) : budget_(budget) {}

    std::vector<Cell> task(const TaskSpans& task, const std::string& layer) const {
        return {layer,
                std::string(name_of(task.task.pass)),
                count_cell(static_cast<double>(task.spans)),
                time(task.time),
                share(task.time),
                time(task.waited)};
    }

    std::vector<Cell> line(const char* what, Nanoseconds duration, Cell kernels = Missing{}) const {
        return {what,           std::string(),   std::move(kernels),
                time(duration), share(duration), Missing{}};
    }

    std::vector<Cell> unattributed() const {
        std::size_t spans = 0;
        for (const auto& [evidence, count] : budget_.unattributed_spans) {
            spans += count;
        }
        return line("+ unattributed", budget_.unattributed, count_cell(static_cast<double>(spans)));
    }

private:
    static Cell time(Nanoseconds duration) {
        return time_cell(seconds_of(duration), Provenance::measured);
    }
    Cell share(Nanoseconds duration) const {
        return budget_.window > Nanoseconds::zero()
                   ? percent_cell(seconds_of(duration) / seconds_of(budget_.window))
                   : Cell(Missing{"nothing was timed"});
    }

    const TraceBudget& budget_;
};

std::vector<std::string> notes_of(const TraceBudget& budget) {
    std::vector<std::string> notes;
    for (const auto& [evidence, count] : budget.unattributed_spans) {
        notes.push_back(
            fmt::format("unattributed: {} without a layer ({})", count, name_of(evidence)));
    }
    if (budget.dropped > 0) {
        notes.push_back(fmt::format(
            "{} records were dropped: times are lower bounds, gaps upper bounds", budget.dropped));
    }
    if (budget.untimed > 0) {
        notes.push_back(fmt::format(
            "{} kernels or copies have no plausible time stamps and are left out of all sums",
            budget.untimed));
    }
    return notes;
}

}  // namespace

Table trace_table(const TraceBudget& budget, std::span<const std::string> layers) {
    const TraceRows rows(budget);
    Table table{.title = "kernels by layer",
                .columns = {{"layer", "layer", Importance::essential},
                            {"pass", "pass", Importance::essential},
                            {"kernels", "kernels", Importance::normal},
                            {"time_s", "time", Importance::essential},
                            {"share_percent", "share", Importance::normal},
                            {"waited_s", "waited for it", Importance::detail}},
                .notes = notes_of(budget)};
    for (const TaskSpans& task : budget.tasks) {
        table.rows.push_back(rows.task(task, layers[task.task.layer]));
    }
    table.totals = {rows.unattributed(), rows.line("− overlap", budget.overlap),
                    rows.line("+ launch gaps", budget.gaps), rows.line("= window", budget.window)};
    return table;
}

}  // namespace strata
