// SPDX-License-Identifier: MIT
#include "cli/results.h"

#include "report/data.h"
#include "view/compare.h"
#include "view/grid.h"
#include "view/json.h"
#include "view/recount.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

// Text on standard output is shown while the command continues.
bool is_shown_at_once(const OutputOptions& output) {
    return output.file.empty() && !output.is_data() && !output.html;
}

// The first rows of a run are its heaviest.
Selection heaviest_first(Selection selection) {
    if (selection.top > 0 && selection.sort.empty()) {
        selection.sort = "time";
    }
    return selection;
}

}  // namespace

ResultPrinter::ResultPrinter(ResultForm form)
    : form_(std::move(form)),
      json_(std::make_unique<Json>(Json{{"runs", Json::array()},
                                        {"sweeps", Json::array()},
                                        {"grids", Json::array()},
                                        {"pairs", Json::array()}})) {
    plain_ = form_.output;
    plain_.columns.clear();
    plain_.sort.clear();
    plain_.top = 0;
}

ResultPrinter::~ResultPrinter() = default;

void ResultPrinter::show(const Document& document, const Selection& selection) {
    if (is_shown_at_once(plain_)) {
        emit(select(document, selection), plain_);
    } else {
        documents_.push_back(select(document, selection));
    }
}

// A terminal gets the first page unless more is requested.
Extent ResultPrinter::extent() const {
    const OutputOptions& output = form_.output;
    const bool is_read =
        is_shown_at_once(output) && !output.markdown && !output.gnuplot && terminal_width() > 0;
    const bool is_plain = output.selection().is_everything() && form_.filter.layers.empty() &&
                          form_.filter.passes.empty();
    return is_read && is_plain && !form_.shows_all ? Extent::first_page : Extent::whole;
}

void ResultPrinter::add_run(const Run& run) {
    const Selection selection = heaviest_first(form_.output.selection());
    if (form_.output.json) {
        (*json_)["runs"].push_back(
            run_json(run, form_.filter, form_.convention, selection, form_.by));
    } else if (form_.output.csv) {
        const Run counted = counted_by(form_.convention, run);
        RunFindings findings = findings_of(counted);
        findings.bounds = bounds_of(run);
        const Document rows = form_.by.empty()
                                  ? steps_document(findings, form_.filter)
                                  : Document{"", {rollup_table(findings, form_.by, form_.filter)}};
        documents_.push_back(select(data_of(rows), selection));
    } else {
        show(run_document(run, form_.filter, form_.convention, form_.by, extent()), selection);
    }
}

void ResultPrinter::add_sweep(const Sweep& sweep, const std::optional<Capacity>& capacity) {
    if (form_.output.json) {
        (*json_)["sweeps"].push_back(sweep_json(sweep, capacity, form_.output.selection()));
    } else if (form_.output.csv) {
        documents_.push_back(
            select(data_of(sweep_document(sweep, capacity)), form_.output.selection()));
    } else {
        show(sweep_document(sweep, capacity), form_.output.selection());
    }
}

void ResultPrinter::add_grid(const std::vector<Run>& runs, const VariedGrid& grid) {
    std::vector<Run> counted;
    std::ranges::transform(runs, std::back_inserter(counted),
                           [&](const Run& run) { return counted_by(form_.convention, run); });
    if (form_.output.json) {
        (*json_)["grids"].push_back(
            grid_json(counted, grid, form_.convention, form_.output.selection()));
    } else if (form_.output.csv) {
        documents_.push_back(
            select(data_of(grid_document(counted, grid)), form_.output.selection()));
    } else {
        show(grid_document(counted, grid), form_.output.selection());
    }
}

void ResultPrinter::add(const std::vector<Run>& runs, const std::optional<Capacity>& capacity) {
    has_results_ = true;
    if (auto sweep = sweep_of(runs)) {
        add_sweep(counted_by(form_.convention, *sweep), capacity);
    } else if (const auto grid = grid_among(runs)) {
        add_grid(runs, *grid);
    } else {
        std::ranges::for_each(runs, [&](const Run& run) { add_run(run); });
    }
}

// A pair's table has other columns than a run's, so no selection applies to it, and CSV has only
// one table.
void ResultPrinter::add_pairs(const std::vector<Run>& runs) {
    for (std::size_t i = 1; i < runs.size(); ++i) {
        if (form_.output.json) {
            (*json_)["pairs"].push_back(pair_json(runs.front(), runs[i]));
        } else if (!form_.output.csv) {
            show(pair_document(runs.front(), runs[i]), {});
        }
    }
}

void ResultPrinter::finish() {
    if (form_.output.json) {
        emit_json("run", std::move(*json_), plain_);
    } else if (!documents_.empty()) {
        emit(documents_, plain_);
    }
}

}  // namespace strata
