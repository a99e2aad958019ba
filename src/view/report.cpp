// SPDX-License-Identifier: MIT
#include "view/report.h"

#include "analyze/above_roof.h"
#include "analyze/advice.h"
#include "analyze/family.h"
#include "analyze/gains.h"
#include "analyze/memory_check.h"
#include "base/enumeration.h"
#include "record/options.h"
#include "view/budget_table.h"
#include "view/cells.h"
#include "view/compare.h"
#include "view/machine.h"
#include "view/predicted.h"
#include "view/run.h"
#include "view/run_sections.h"
#include "view/runs.h"
#include "view/sweep.h"
#include "view/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

namespace strata {

namespace {

Reach reach_of(const RunFindings& findings) {
    return reach_of(findings.run, findings.summary, findings.bounds);
}

constexpr const char* no_ceilings = "no ceilings are known; strata calibrate measures them";

std::string samples_text(const std::optional<Estimate>& time, Origin origin) {
    return !time                        ? ""
           : origin == Origin::modelled ? "predicted, not sampled"
           : time->samples == 1         ? "one iteration, so no interval"
           : time->use == SampleUse::disturbed
               ? fmt::format("median of {} iterations, with delays by other programs",
                             time->samples)
           : time->disturbed > 0
               ? fmt::format("median of {} iterations; {} delayed ones are left out", time->samples,
                             time->disturbed)
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
    const Reach all = reach_of(findings);
    const Provenance derived = derived_from(findings.run.origin);
    const bool is_whole = findings.summary.budget.is_whole;
    if (!all.has_ceiling || !is_whole) {
        const char* reason = is_whole ? no_ceilings : why_not_timed(findings);
        return {{"ceiling_percent", "share of the ceilings", Missing{reason}, {}},
                {"gain_s", "possible gain", Missing{reason}, {}}};
    }
    return {{"ceiling_percent", "share of the ceilings",
             percent_cell(all.at_ceilings() / all.judged(), derived),
             all.unjudged > Seconds{}
                 ? fmt::format("of the {} of steps that have one", duration(all.judged()))
                 : "100 %: every step at its ceiling"},
            {"gain_s", "possible gain, at most", time_cell(all.gain, derived),
             fmt::format("of {} for all steps", duration(all.median))}};
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
          samples_text(time, findings.run.origin)},
         throughput_tile(findings)}};
    std::ranges::move(ceiling_tiles(findings), std::back_inserter(tiles.tiles));
    return tiles;
}

// Includes interruption: the page of an interrupted run has no other place for it.
Doubts all_doubts_of(const Run& run) {
    Doubts doubts = doubts_of(run);
    if (run.state == RunState::partial) {
        doubts.doubts.insert(doubts.doubts.begin(),
                             {"interrupted", "This run was interrupted and is not complete."});
    }
    return doubts;
}

// Draws shares as bars, which read faster.
Table with_bars(Table table) {
    for (Column& column : table.columns) {
        const bool bar = column.title == "share" || column.title == "gain";
        column.form = bar                         ? CellForm::bar
                      : column.title == "ceiling" ? CellForm::gauge
                                                  : column.form;
    }
    return table;
}

// More bars do not fit a page: equal layers then share one bar.
constexpr std::size_t max_bars = 40;

// The layers of each bar, in the order of the network.
std::vector<std::vector<const LayerTotal*>> bars_among(const RunFindings& findings) {
    const auto& layers = findings.summary.layers;
    std::map<std::string_view, std::string_view> problems;
    for (const StepResult& step : findings.run.steps) {
        problems.emplace(step.layer, step.problem);
    }
    std::vector<StepWork> works;
    for (const LayerTotal& layer : layers) {
        works.push_back({layer.layer, layer.operation, problems[layer.layer]});
    }
    const auto families = families_of(works);
    std::vector<std::vector<const LayerTotal*>> bars;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const std::size_t bar = layers.size() > max_bars ? families[i] : i;
        bars.resize(std::max(bars.size(), bar + 1));
        bars[bar].push_back(&layers[i]);
    }
    return bars;
}

StackedBars bars_of(const RunFindings& findings) {
    StackedBars chart{.title = "Time by layer and pass", .unit = "s"};
    const auto bars = bars_among(findings);
    const LayerNames names(layers_of(findings.run));
    for (const auto& bar : bars) {
        std::vector<std::string> layers;
        std::ranges::transform(bar, std::back_inserter(layers), &LayerTotal::layer);
        chart.labels.push_back(names.text(layers));
    }
    for (const auto& total : findings.summary.passes) {
        StackedBars::Series series{.name = std::string(name_of(total.pass))};
        for (const auto& bar : bars) {
            auto& sum = series.values.emplace_back();
            for (const LayerTotal* layer : bar) {
                if (const auto time = layer->passes[static_cast<std::size_t>(total.pass)]) {
                    sum = sum.value_or(0) + time->value;
                }
            }
        }
        chart.series.push_back(std::move(series));
    }
    return chart;
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

// The operations that the ceilings count, so that no step lies above a roof because its algorithm
// saves some; nothing if nobody tells how many.
std::optional<Flops> executed_by(const StepResult& step, const StepBound& bound) {
    if (bound.executes_fewer) {
        return {};
    }
    const bool is_known = bound.by_definition && *bound.by_definition > Seconds{0};
    return is_known ? step.flops * (*bound.compute / *bound.by_definition) : step.flops;
}

RooflineChart roofline_of(const RunFindings& findings) {
    RooflineChart chart{.title = "Roofline: steps by intensity and rate, sized by time"};
    add_roofs(chart, findings.run);
    for (std::size_t i = 0; i < findings.run.steps.size(); ++i) {
        const StepResult& step = findings.run.steps[i];
        const StepTime& time = findings.summary.steps[i];
        const Bytes traffic = step.read + step.written;
        const auto executed = executed_by(step, findings.bounds[i]);
        if (time.time && executed && *executed > Flops{0} && traffic > Bytes{0} &&
            time.time->median > Seconds{0}) {
            chart.points.push_back({step.layer, std::string(name_of(step.pass)),
                                    *executed / traffic, *executed / time.time->median,
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
    add_sections(blocks, run);
    auto profile = profile_blocks(run);
    if (!profile.empty()) {
        blocks.emplace_back(Heading{"Kernels and counters"});
        std::ranges::move(profile, std::back_inserter(blocks));
    }
    blocks.emplace_back(Heading{"The run"});
    blocks.emplace_back(provenance_table(run));
}

// Adds the answer, the doubts and the advice; then charts, then every number.
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
    if (Doubts doubts = all_doubts_of(run); !doubts.doubts.empty()) {
        blocks.emplace_back(std::move(doubts));
    }
    std::ranges::move(advice_blocks(findings), std::back_inserter(blocks));
    blocks.emplace_back(Heading{"Where the time goes"});
    blocks.emplace_back(bars_of(findings));
    blocks.emplace_back(roofline_of(findings));
    for (const std::string& sentence : roof_sentences(run)) {
        blocks.emplace_back(Paragraph{sentence});
    }
    for (auto& block : rollup_blocks(findings, by)) {
        auto* table = std::get_if<Table>(&block);
        blocks.push_back(table ? with_bars(std::move(*table)) : std::move(block));
    }
    if (auto upgrades = sensitivity_blocks(run); !upgrades.empty()) {
        blocks.emplace_back(Heading{"The value of each resource"});
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

// Runs side by side: one row for each figure, one column for each run.
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

// Leaves out passes that no run has.
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
