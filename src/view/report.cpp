// SPDX-License-Identifier: MIT
#include "view/report.h"

#include "analyze/advice.h"
#include "analyze/gains.h"
#include "analyze/memory_check.h"
#include "base/enumeration.h"
#include "record/completeness.h"
#include "record/options.h"
#include "view/budget_table.h"
#include "view/cells.h"
#include "view/compare.h"
#include "view/infeed.h"
#include "view/machine.h"
#include "view/memory_table.h"
#include "view/predicted.h"
#include "view/run.h"
#include "view/runs.h"
#include "view/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

namespace strata {

namespace {

Gains gains_of(const RunFindings& findings) {
    return gains_of(findings.run, findings.summary, findings.bounds);
}

bool is_known(const Gains& gains) {
    return gains.is_judged;
}

std::string lead_of(const RunFindings& findings) {
    const Run& run = findings.run;
    const Settings& settings = run.settings;
    const Budget& budget = findings.summary.budget;
    const auto& time = budget.end_to_end ? budget.end_to_end : budget.steps;
    std::string lead = fmt::format("{}, batch {}, {}: ", settings.network, settings.batch,
                                   text_of(settings, "mode"));
    if (!budget.is_whole) {
        return lead +
               fmt::format("incomplete: {}. The time of the whole is not known.", holes_text(run));
    }
    if (!time) {
        return lead + "nothing was timed.";
    }
    lead += duration(time->median);
    lead += budget.end_to_end ? "" : " in the steps that ran";
    const Gains gains = gains_of(findings);
    if (!is_known(gains)) {
        return lead + "; how close it is to the machine's ceilings is not known.";
    }
    lead +=
        fmt::format(", at {} of the machine's ceilings", percent(gains.at_ceilings / gains.median));
    // The same gain as in the first finding; a gain that may be noise is skipped.
    const auto largest = std::ranges::find_if(gains.steps, &Gain::is_certain);
    if (largest != gains.steps.end()) {
        const StepResult& step = run.steps[largest->step];
        lead += fmt::format("; the largest recoverable time is {} {} ({})", step.layer,
                            name_of(step.pass), duration(largest->gain));
    }
    return lead + ".";
}

constexpr const char* no_ceilings = "no ceilings are known; strata calibrate measures them";

std::string samples_text(const std::optional<Estimate>& time) {
    return !time                ? ""
           : time->samples == 1 ? "one iteration, so no interval"
                                : fmt::format("median of {} iterations", time->samples);
}

const char* why_not_timed(const RunFindings& findings) {
    return findings.summary.budget.is_whole ? "no whole iteration was timed"
                                            : "the run is incomplete";
}

Tiles::Tile throughput_tile(const RunFindings& findings) {
    const Run& run = findings.run;
    const auto& time = findings.summary.budget.end_to_end;
    Cell value = Missing{why_not_timed(findings)};
    if (time && time->median > Seconds{0}) {
        value = number_cell(static_cast<double>(run.settings.batch) / time->median.value,
                            "examples/s", derived_from(run.origin));
    }
    return {"samples_per_s", "throughput", value, fmt::format("{} at a time", run.settings.batch)};
}

std::vector<Tiles::Tile> ceiling_tiles(const RunFindings& findings) {
    const Gains gains = gains_of(findings);
    const Provenance derived = derived_from(findings.run.origin);
    const bool is_whole = findings.summary.budget.is_whole;
    if (!is_known(gains) || !is_whole) {
        const char* reason = is_whole ? no_ceilings : why_not_timed(findings);
        return {{"ceiling_percent", "share of the ceilings", Missing{reason}, {}},
                {"gain_s", "possible gain", Missing{reason}, {}}};
    }
    return {
        {"ceiling_percent", "share of the ceilings",
         percent_cell(gains.at_ceilings / gains.median, derived),
         "100 %: every step at its ceiling"},
        {"gain_s", "possible gain, at most", time_cell(gains.median - gains.at_ceilings, derived),
         fmt::format("of {} for all steps", duration(gains.median))}};
}

// The four headline numbers of a run.
Tiles tiles_of(const RunFindings& findings) {
    const auto& time = findings.summary.budget.end_to_end;
    Tiles tiles{
        {{"end_to_end_s", "end to end",
          optional_cell(
              time,
              [&](const Estimate& one) { return time_cell(one, times_of(findings.run.origin)); },
              why_not_timed(findings)),
          samples_text(time)},
         throughput_tile(findings)}};
    std::ranges::move(ceiling_tiles(findings), std::back_inserter(tiles.tiles));
    return tiles;
}

Doubts doubts_of(const Run& run) {
    Doubts doubts;
    if (run.state == RunState::partial) {
        doubts.doubts.push_back({"interrupted", "This run was interrupted and is not complete."});
    }
    for (const Flag& flag : run.flags) {
        doubts.doubts.push_back({kind_text(flag), flag.sentence});
    }
    return doubts;
}

// Shares read faster with bars.
Table with_bars(Table table) {
    for (Column& column : table.columns) {
        const bool bar = column.title == "share" || column.title == "gain";
        column.form = bar                         ? CellForm::bar
                      : column.title == "ceiling" ? CellForm::gauge
                                                  : column.form;
    }
    return table;
}

StackedBars bars_of(const Summary& summary) {
    StackedBars bars{.title = "Time by layer and pass", .unit = "s"};
    for (const auto& layer : summary.layers) {
        bars.labels.push_back(layer.layer);
    }
    for (const auto& total : summary.passes) {
        StackedBars::Series series{.name = std::string(name_of(total.pass))};
        for (const auto& layer : summary.layers) {
            const auto time = layer.passes[static_cast<std::size_t>(total.pass)];
            series.values.push_back(time ? std::optional(time->value) : std::nullopt);
        }
        bars.series.push_back(std::move(series));
    }
    return bars;
}

void add_roofs(RooflineChart& chart, const Run& run) {
    const auto device = ceilings_of(run);
    if (!device) {
        return;
    }
    const std::string arithmetic = arithmetic_of(run.settings);
    if (const auto peak = peak_of(*device, arithmetic)) {
        chart.roofs.push_back({.name = arithmetic + " peak", .compute = peak});
    }
    for (const auto& level : device->memory) {
        chart.roofs.push_back({.name = level.name, .bandwidth = level.bandwidth.value});
    }
}

RooflineChart roofline_of(const RunFindings& findings) {
    RooflineChart chart{.title = "Roofline: steps by intensity and rate, sized by time"};
    add_roofs(chart, findings.run);
    for (std::size_t i = 0; i < findings.run.steps.size(); ++i) {
        const StepResult& step = findings.run.steps[i];
        const StepTime& time = findings.summary.steps[i];
        const Bytes traffic = step.read + step.written;
        if (time.time && step.flops > Flops{0} && traffic > Bytes{0} &&
            time.time->median > Seconds{0}) {
            chart.points.push_back({step.layer, std::string(name_of(step.pass)),
                                    step.flops / traffic, step.flops / time.time->median,
                                    time.share});
        }
    }
    return chart;
}

void add_tables(std::vector<Block>& blocks, const RunFindings& findings) {
    const Run& run = findings.run;
    blocks.emplace_back(Heading{"Steps"});
    blocks.emplace_back(with_bars(steps_table(findings)));
    const bool has_budget = run.origin != Origin::modelled;
    blocks.emplace_back(Heading{has_budget ? "Budget and memory" : "Memory"});
    if (has_budget) {
        blocks.emplace_back(budget_table(findings.summary.budget, times_of(run.origin)));
    }
    blocks.emplace_back(memory_table(run));
    std::ranges::move(infeed_blocks(run), std::back_inserter(blocks));
    auto profile = profile_blocks(run);
    if (!profile.empty()) {
        blocks.emplace_back(Heading{"Kernels and counters"});
        std::ranges::move(profile, std::back_inserter(blocks));
    }
    blocks.emplace_back(Heading{"The run"});
    blocks.emplace_back(provenance_table(run));
}

// The answer, the doubts and the advice; then charts, then every number.
void add_run(std::vector<Block>& blocks, const Run& run, std::span<const Grouping> by) {
    const RunFindings findings = findings_of(run);
    blocks.emplace_back(Lead{lead_of(findings)});
    blocks.emplace_back(Paragraph{machine_line(run)});
    if (run.origin == Origin::modelled) {
        blocks.emplace_back(Paragraph{device_line(run)});
    }
    if (const std::string said = annotation_line(run); !said.empty()) {
        blocks.emplace_back(Paragraph{said});
    }
    if (const std::string verified = verification_line(run); !verified.empty()) {
        blocks.emplace_back(Paragraph{verified});
    }
    blocks.emplace_back(tiles_of(findings));
    if (Doubts doubts = doubts_of(run); !doubts.doubts.empty()) {
        blocks.emplace_back(std::move(doubts));
    }
    std::ranges::move(verdict_blocks(findings), std::back_inserter(blocks));
    blocks.emplace_back(Heading{"Where the time goes"});
    blocks.emplace_back(bars_of(findings.summary));
    blocks.emplace_back(roofline_of(findings));
    for (auto& block : rollup_blocks(findings, by)) {
        auto* table = std::get_if<Table>(&block);
        blocks.push_back(table ? with_bars(std::move(*table)) : std::move(block));
    }
    if (auto upgrades = sensitivity_blocks(run); !upgrades.empty()) {
        blocks.emplace_back(Heading{"What each resource is worth"});
        std::ranges::move(upgrades, std::back_inserter(blocks));
    }
    add_tables(blocks, findings);
}

// "run 3: alexnet, batch 8, training, f32, onednn direct".
std::string name_of_run(const Run& run) {
    return fmt::format("run {}: {}", run.id, settings_line(run));
}

// Runs named by how they differ from the first: "run 3: dtype f32", "run 4: dtype bf16".
std::vector<std::string> short_names_of(std::span<const Run> runs) {
    std::map<std::string, std::vector<std::string>> values;  // by setting, then by run
    for (std::size_t i = 1; i < runs.size(); ++i) {
        for (const auto& one : differences_between(runs[0].settings, runs[i].settings)) {
            auto& of_runs = values.try_emplace(one.name, runs.size(), one.before).first->second;
            of_runs[i] = one.after;
        }
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        std::vector<std::string> told;
        for (const auto& [setting, of_runs] : values) {
            told.push_back(setting + " " + of_runs[i]);
        }
        names.push_back(
            fmt::format("run {}{}{}", runs[i].id, told.empty() ? "" : ": ", fmt::join(told, ", ")));
    }
    return names;
}

// Runs side by side: a row for each figure, a column for each run.
Table side_by_side(std::span<const Run> runs) {
    Table table{.columns = {{"figure", "", Importance::essential}}};
    const auto names = short_names_of(runs);
    std::vector<Tiles> tiles;
    for (const Run& run : runs) {
        const RunFindings findings = findings_of(run);
        tiles.push_back(tiles_of(findings));
        tiles.back().tiles.push_back({"predicted_memory_bytes",
                                      "memory, by liveness",
                                      optional_cell(memory_check_of(run).predicted,
                                                    [](Bytes bytes) { return bytes_cell(bytes); }),
                                      {}});
        tiles.back().tiles.push_back(
            {"flags", "doubts", count_cell(static_cast<double>(run.flags.size())), {}});
        table.columns.push_back({fmt::format("run_{}", run.id), names[tiles.size() - 1]});
    }
    for (std::size_t row = 0; !tiles.empty() && row < tiles.front().tiles.size(); ++row) {
        auto& cells = table.rows.emplace_back(std::vector<Cell>{tiles.front().tiles[row].label});
        for (const Tiles& one : tiles) {
            cells.push_back(one.tiles[row].value);
        }
    }
    return table;
}

// Passes that none of the runs has are left out.
StackedBars bars_by_run(std::span<const Run> runs) {
    std::array<StackedBars::Series, all_passes.size()> by_pass;
    std::array<bool, all_passes.size()> occurs{};
    StackedBars bars{.title = "Time by run and pass", .unit = "s", .labels = short_names_of(runs)};
    for (const Run& run : runs) {
        for (auto& series : by_pass) {
            series.values.emplace_back();
        }
        for (const PassTotal& total : summarise(run).passes) {
            const auto pass = static_cast<std::size_t>(total.pass);
            by_pass[pass].name = name_of(total.pass);
            by_pass[pass].values.back() = total.time.value;
            occurs[pass] = true;
        }
    }
    for (std::size_t pass = 0; pass < by_pass.size(); ++pass) {
        if (occurs[pass]) {
            bars.series.push_back(std::move(by_pass[pass]));
        }
    }
    return bars;
}

// Charts, then sentences, then tables.
int kind_of(const Block& block) {
    return std::holds_alternative<Table>(block)       ? 2
           : std::holds_alternative<Paragraph>(block) ? 1
                                                      : 0;
}

constexpr std::size_t max_side_by_side = 4;

void add_overview(Document& document, std::span<const Run> runs) {
    auto& blocks = document.blocks;
    if (const auto sweep = sweep_of(runs)) {
        Document over = sweep_document(*sweep);
        document.title = std::move(over.title);
        blocks.emplace_back(Lead{sweep_lead(*sweep)});
        std::ranges::stable_sort(over.blocks.begin() + 1, over.blocks.end(), {}, kind_of);
        std::ranges::move(over.blocks, std::back_inserter(blocks));
        return;
    }
    const bool two = runs.size() == 2 && runs[0].settings.network == runs[1].settings.network;
    if (two) {
        const ComparedRuns sides{runs.first(1), runs.subspan(1, 1)};
        blocks.emplace_back(Lead{comparison_lead(compare(runs[0], runs[1]), sides)});
    }
    if (runs.size() <= max_side_by_side) {
        blocks.emplace_back(side_by_side(runs));
    }
    blocks.emplace_back(bars_by_run(runs));
    if (two) {
        Document compared = pair_document(runs[0], runs[1]);
        document.title = std::move(compared.title);
        blocks.emplace_back(Heading{"Layer by layer"});
        std::ranges::move(compared.blocks, std::back_inserter(blocks));
    }
}

}  // namespace

Document report_document(std::span<const Run> runs, std::span<const Grouping> by) {
    if (runs.size() == 1) {
        Document document{settings_line(runs.front()), {}};
        add_run(document.blocks, runs.front(), by);
        return document;
    }
    Document document{fmt::format("{} runs", runs.size()), {}};
    if (!runs.empty()) {
        add_overview(document, runs);
    }
    document.blocks.emplace_back(Heading{"The runs"});
    document.blocks.emplace_back(runs_table(runs));
    for (const Run& run : runs) {
        document.blocks.emplace_back(Heading{name_of_run(run), HeadingLevel::part});
        add_run(document.blocks, run, by);
    }
    return document;
}

}  // namespace strata
