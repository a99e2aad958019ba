// SPDX-License-Identifier: MIT
#include "view/runs.h"

#include "analyze/budget.h"
#include "base/enumeration.h"
#include "base/text.h"
#include "record/completeness.h"
#include "record/options.h"
#include "view/cells.h"
#include "view/columns.h"
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

}  // namespace

Table runs_table(std::span<const Run> runs) {
    static const Columns<Run> columns = {
        {{"run", "run", Importance::essential}, &Run::id},
        {{.key = "created", .title = "created", .order = Order::newest_first}, &Run::created},
        {{"origin", "origin", Importance::essential}, &Run::origin},
        {{"state", "state", Importance::detail}, progress_of},
        {{"network", "network", Importance::essential},
         [](auto& run) { return run.settings.network; }},
        {{"batch", "batch", Importance::essential}, [](auto& run) { return run.settings.batch; }},
        {{"mode", "mode", Importance::detail},
         [](auto& run) { return text_of(run.settings, "mode"); }},
        {{"dtype", "dtype", Importance::detail},
         [](auto& run) { return text_of(run.settings, "dtype"); }},
        {{"threads", "threads", Importance::detail},
         [](auto& run) { return threads_cell(run.threads()); }},
        {{"backend", "backend"}, [](auto& run) { return run.settings.backend; }},
        {{"other_settings", "other settings"},
         [](auto& run) { return other_settings_line(run.settings); }},
        {{"end_to_end_s", "end to end", Importance::essential, Audience::all, Bounds::interval},
         end_to_end_cell},
        {{"doubts", "doubts", Importance::detail}, flags_of}};
    return table_of(columns, runs);
}

Document runs_document(Table stored) {
    if (stored.rows.empty()) {
        stored.notes.emplace_back("No runs are stored yet; `strata run alexnet` stores one.");
    }
    return {.blocks = {std::move(stored)}, .kind = "list"};
}

}  // namespace strata
