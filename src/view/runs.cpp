// SPDX-License-Identifier: MIT
#include "view/runs.h"

#include "analyze/budget.h"
#include "base/enumeration.h"
#include "base/text.h"
#include "record/completeness.h"
#include "record/options.h"
#include "view/cells.h"
#include "view/machine.h"

namespace strata {

namespace {

std::string flags_of(const Run& run) {
    std::vector<std::string> kinds;
    for (const auto& flag : run.flags) {
        kinds.push_back(kind_text(flag));
    }
    return join(kinds, ", ");
}

Cell end_to_end_cell(const Run& run) {
    return optional_cell(
        end_to_end_of(run),
        [&](const Estimate& time) { return time_cell(time, times_of(run.origin)); },
        is_incomplete(run) ? "the run is incomplete" : "no whole iteration was timed");
}

std::vector<Cell> row_of(const Run& run) {
    const Settings& settings = run.settings;
    return {count_cell(static_cast<double>(run.id)),
            run.created,
            std::string(name_of(run.origin)),
            std::string(progress_of(run)),
            settings.network,
            count_cell(static_cast<double>(settings.batch)),
            text_of(settings, "mode"),
            text_of(settings, "dtype"),
            threads_cell(settings.threads()),
            settings.backend,
            other_settings_line(settings),
            end_to_end_cell(run),
            flags_of(run)};
}

}  // namespace

Table runs_table(std::span<const Run> runs) {
    Table table;
    table.columns = {
        {"run", "run", Importance::essential},
        {.key = "created", .title = "created", .order = Order::newest_first},
        {"origin", "origin", Importance::essential},
        {"state", "state", Importance::detail},
        {"network", "network", Importance::essential},
        {"batch", "batch", Importance::essential},
        {"mode", "mode", Importance::detail},
        {"dtype", "dtype", Importance::detail},
        {"threads", "threads", Importance::detail},
        {"backend", "backend", Importance::normal},
        {"other_settings", "other settings", Importance::normal},
        {"end_to_end_s", "end to end", Importance::essential, Audience::all, Bounds::interval},
        {"doubts", "doubts", Importance::detail}};
    for (const auto& run : runs) {
        table.rows.push_back(row_of(run));
    }
    return table;
}

Document runs_document(Table stored) {
    if (stored.rows.empty()) {
        stored.notes.emplace_back("No runs are stored yet; `strata run alexnet` stores one.");
    }
    return {.blocks = {std::move(stored)}, .kind = "list"};
}

}  // namespace strata
