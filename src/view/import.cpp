// SPDX-License-Identifier: MIT
#include "view/import.h"

#include "analyze/advice.h"
#include "analyze/summary.h"
#include "base/enumeration.h"
#include "base/text.h"
#include "view/cells.h"
#include "view/columns.h"
#include "view/machine.h"
#include "view/steps.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace strata {

namespace {

constexpr std::string_view by_nothing = "nothing";

std::string provenance_value(const Run& run, const std::string& name) {
    const auto found = run.provenance.find(name);
    return found == run.provenance.end() ? "" : found->second;
}

constexpr double min_told_difference = 0.02;

// Compares the median iteration with the average: they differ if the iterations do. Empty if they
// hardly differ.
std::string average_sentence(const Run& run, const Summary& summary) {
    Seconds typical, average;
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        if (!summary.steps[i].time) {
            continue;
        }
        typical += summary.steps[i].time->median;
        const std::vector<Seconds>& values = std::get<Samples>(run.steps[i].time).values;
        const Seconds sum = std::accumulate(values.begin(), values.end(), Seconds{});
        average += sum / static_cast<double>(values.size());
    }
    if (std::abs((average - typical).value) <= min_told_difference * typical.value) {
        return "";
    }
    return fmt::format(
        " The steps take {} in a typical iteration and {} in the average of all: some iterations "
        "take longer than others.",
        duration(typical), duration(average));
}

// The number of iterations, and how much of their time is attributed to layers.
std::string found_sentence(const Run& run, const Summary& summary,
                           std::span<const std::string> by) {
    double attributed = 0;
    std::set<std::string> layers;
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        if (by[i] != by_nothing) {
            attributed += summary.steps[i].share.value_or(0);
            layers.insert(run.steps[i].layer);
        }
    }
    const std::string iterations = provenance_value(run, "import.iterations");
    return fmt::format("Iterations: {}. {:.1f} % of the steps' time is attributed to {} layers.{}",
                       iterations, 100 * attributed, layers.size(), average_sentence(run, summary));
}

Table attribution_table(const Run& run, const Summary& summary, std::span<const std::string> by) {
    struct Row {
        const Run& run;
        const StepResult& step;
        const StepTime& time;
        const std::string& by;
    };
    static const Columns<Row> columns = {
        {data_column("run"), [](auto& row) { return row.run.id; }},
        {{"layer", "layer", Importance::essential}, [](auto& row) { return row.step.layer; }},
        {{"operator", "operator", Importance::detail},
         [](auto& row) { return row.step.operation; }},
        {{"pass", "pass", Importance::essential}, [](auto& row) { return row.step.pass; }},
        {data_column("kind"), [](auto& row) { return row.step.kind; }},
        {data_column("samples"),
         [](auto& row) { return row.time.time ? as_cell(row.time.time->samples) : Missing{}; }},
        {data_column("seen_in"),
         [](auto& row) { return seen_cell(row.step, &SeenIn::iterations); }},
        {data_column("of_iterations"), [](auto& row) { return seen_cell(row.step, &SeenIn::of); }},
        {{"median_s", "time", Importance::essential, Audience::all, Bounds::interval},
         [](auto& row) {
             const auto* included = std::get_if<Included>(&row.step.time);
             return row.time.time ? time_cell(*row.time.time, Provenance::imported)
                                  : Cell(Missing{included ? "in " + included->step : ""});
         }},
        {{"share", "share"},
         [](auto& row) {
             return optional_cell(row.time.share, [](double share) {
                 return percent_cell(share, Provenance::imported);
             });
         }},
        {{"evidence", "attributed by", Importance::essential}, [](auto& row) { return row.by; }}};
    std::vector<Row> rows;
    for (const std::size_t i : steps_by_layer(run)) {
        rows.push_back({run, run.steps[i], summary.steps[i], by[i]});
    }
    Table table = table_of(columns, rows, {.records = "steps"});
    explain_rare(table, run);
    add_origin(table, run.origin);
    return table;
}

}  // namespace

Document import_document(const Run& run, std::span<const std::string> by) {
    const Summary summary = summarise(run);
    Document document{.title = fmt::format("{}: imported as run {}", settings_line(run), run.id),
                      .kind = "import"};
    document.blocks.emplace_back(Paragraph{found_sentence(run, summary, by)});
    document.blocks.emplace_back(attribution_table(run, summary, by));
    if (!run.flags.empty()) {
        Table doubts = flags_table(run);
        doubts.title = "Notes on this import";
        document.blocks.emplace_back(std::move(doubts));
    }
    return document;
}

Table books_table(std::span<const ImportBook> books) {
    Table table = table_for_data({"use", "reason", "what", "records", "time_s"}, "books");
    for (const ImportBook& book : books) {
        table.rows.push_back({book.use, text_or_missing(book.reason), printable(book.what),
                              count_cell(static_cast<double>(book.records)),
                              time_cell(book.time, Provenance::imported)});
    }
    add_origin(table, Origin::imported);
    return table;
}

Document import_sweep_document(std::span<const Run> runs, std::size_t anew,
                               std::string_view device) {
    std::map<std::string, std::pair<double, double>> reasons;  // their number, and the first run
    double ran = 0;
    Table table{.columns = {{"outcome", "outcome", Importance::essential},
                            {"runs", "runs", Importance::essential},
                            {"run", "first run", Importance::normal}},
                .records = "outcomes"};
    for (const Run& run : runs) {
        const auto* failed = std::get_if<Failed>(&run.steps.front().time);
        auto& [count, first] = reasons[failed == nullptr ? "ran" : "failed: " + failed->reason];
        first = count == 0 ? static_cast<double>(run.id) : first;
        count += 1;
        ran += failed == nullptr ? 1 : 0;
    }
    for (const auto& [reason, found] : reasons) {
        table.rows.push_back(
            {printable(reason), count_cell(found.first), count_cell(found.second)});
    }
    add_origin(table, Origin::imported);
    return {.title = fmt::format("{} networks on {}, imported", runs.size(), printable(device)),
            .blocks = {Paragraph{fmt::format(
                           "{:.0f} ran, {:.0f} did not. {} were new. Each run has one step, the "
                           "whole iteration, because the file has no times of layers.",
                           ran, static_cast<double>(runs.size()) - ran, anew)},
                       std::move(table)},
            .kind = "import"};
}

}  // namespace strata
