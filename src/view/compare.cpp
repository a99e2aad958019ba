// SPDX-License-Identifier: MIT
#include "view/compare.h"

#include "analyze/advice.h"
#include "analyze/family.h"
#include "analyze/ran_algorithms.h"
#include "analyze/rollup.h"
#include "base/enumeration.h"
#include "base/text.h"
#include "view/cells.h"
#include "view/columns.h"
#include "view/json_values.h"
#include "view/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace strata {

namespace {

using Json = nlohmann::ordered_json;
using Runs = std::span<const Run>;

// Abbreviated, because a tuning makes dozens of choices.
std::string text_of_choices(const SettingDifference& choices) {
    if (choices.is_tuned_before && choices.is_tuned_after) {
        return "two tunings";
    }
    return fmt::format("choices {} → {}", choices.is_tuned_before ? "tuned" : choices.before,
                       choices.is_tuned_after ? "tuned" : choices.after);
}

std::string text_of(const std::vector<SettingDifference>& differences) {
    std::vector<std::string> texts;
    for (const SettingDifference& each : differences) {
        if (each.name == "choices") {
            texts.push_back(text_of_choices(each));
        } else {
            texts.push_back(fmt::format("{} {} → {}", each.name, each.before, each.after));
        }
    }
    return texts.empty() ? "the same settings" : join(texts, ", ");
}

// "run 12 (onednn)", named by what distinguishes the two sides.
std::array<std::string, 2> names_of(const ComparedRuns& runs) {
    const std::array settings = {runs.before.front().settings, runs.after.front().settings};
    const std::vector<std::string> names = names_of_sides(settings);
    const auto with_name = [](Runs side, const std::string& name) {
        return runs_text(side) + (name.empty() ? "" : fmt::format(" ({})", name));
    };
    return {with_name(runs.before, names[0]), with_name(runs.after, names[1])};
}

Cell side_cell(const std::optional<Estimate>& time, Runs runs, const char* reason) {
    return optional_cell(
        time, [&](const Estimate& t) { return time_cell(t, times_of(runs.front().origin)); },
        reason);
}

// The layers that one step computes, shortened: a compiler fuses whole blocks, whose names do not
// fit a column.
std::string layers_text(const std::vector<std::string>& layers) {
    constexpr std::size_t named = 3;
    return layers.size() <= named
               ? join(layers, " + ")
               : fmt::format("{} … {} ({} layers)", layers.front(), layers.back(), layers.size());
}

// A row of the comparison: of a step, or a sum, which has no pass.
struct ComparisonRow {
    const ComparedRuns& runs;
    std::string name;
    std::string full_name;
    std::string pass;
    Cell before;
    Cell after;
    Cell ratio = Missing{};
    std::string finding = {};
    std::optional<Verdict> verdict = {};
};

// `total` names a row without a pass.
ComparisonRow row_of(const ComparedTime& time, const ComparedRuns& runs,
                     const char* total = "end to end") {
    return {.runs = runs,
            .name = time.pass.empty() ? total : layers_text(time.layers),
            .full_name = time.pass.empty() ? total : join(time.layers, " + "),
            .pass = time.pass,
            .before = side_cell(time.before, runs.before, "not measured"),
            .after = side_cell(time.after, runs.after, "not measured"),
            .ratio = optional_cell(time.ratio, ratio_cell, "not measured on both sides"),
            .finding = verdict_text(time.verdict),
            .verdict = time.verdict};
}

// A closing row with a sum for each side.
ComparisonRow parts_row(const char* name, const ComparedRuns& runs,
                        const std::optional<Seconds>& before, const std::optional<Seconds>& after) {
    const auto cell = [](const std::optional<Seconds>& time) {
        return optional_cell(
            time, [](Seconds t) { return time_cell(t); }, "no whole iteration was timed");
    };
    return {.runs = runs,
            .name = name,
            .full_name = name,
            .pass = {},
            .before = cell(before),
            .after = cell(after)};
}

const Columns<ComparisonRow>& columns_of_comparison() {
    static const Columns<ComparisonRow> all = {
        {data_column("before"), [](auto& row) { return row.runs.before.front().id; }},
        {data_column("after"), [](auto& row) { return row.runs.after.front().id; }},
        {data_column("before_origin"), [](auto& row) { return row.runs.before.front().origin; }},
        {data_column("after_origin"), [](auto& row) { return row.runs.after.front().origin; }},
        {people_column("layer", "layer"), &ComparisonRow::name},
        {data_column("layer"), &ComparisonRow::full_name},
        {{"pass", "pass", Importance::essential}, &ComparisonRow::pass},
        {{"before_s", "before", Importance::essential, Audience::all, Bounds::interval},
         &ComparisonRow::before},
        {{"after_s", "after", Importance::essential, Audience::all, Bounds::interval},
         &ComparisonRow::after},
        {{"ratio", "after / before", Importance::essential, Audience::all, Bounds::interval},
         &ComparisonRow::ratio},
        {people_column("finding", "verdict"), &ComparisonRow::finding},
        {data_column("verdict"), &ComparisonRow::verdict}};
    return all;
}

// How many of the two sides are modelled.
int modelled_sides(const ComparedRuns& runs) {
    const auto is_modelled = [](std::span<const Run> side) {
        return side.front().origin == Origin::modelled;
    };
    return (is_modelled(runs.before) ? 1 : 0) + (is_modelled(runs.after) ? 1 : 0);
}

// "run 1 by a stored tuning (strata tune), which changes 5 of 24 passes"; empty for a framework
// that chooses for itself, beside a tuned side.
std::string algorithms_of(Runs side, Runs other) {
    const Settings& settings = side.front().settings;
    if (is_tuned(settings)) {
        const auto& choices = settings.execution.engine.choices;
        const auto tuned =
            std::ranges::count(choices, ChoiceSource::tuned, &AlgorithmChoice::source);
        const auto changed = std::ranges::count_if(choices, [](const AlgorithmChoice& one) {
            return one.source == ChoiceSource::tuned && !one.algorithm.is_usual();
        });
        return fmt::format(
            "{} by a stored tuning (strata tune) that replaces the usual algorithm in {} of {} "
            "passes",
            runs_text(side), changed, tuned);
    }
    return settings.backend == other.front().settings.backend
               ? fmt::format("{} {}", runs_text(side), algorithm_text(side.front()))
               : "";
}

// Empty unless a side is tuned.
std::string algorithms_note(const ComparedRuns& runs) {
    if (!is_tuned(runs.before.front().settings) && !is_tuned(runs.after.front().settings)) {
        return {};
    }
    std::vector<std::string> parts = {algorithms_of(runs.before, runs.after),
                                      algorithms_of(runs.after, runs.before)};
    std::erase(parts, "");
    return fmt::format(
        "Algorithms: {}; strata explain RUN names each; --algorithm auto ignores tunings.",
        join(parts, "; "));
}

// States what the intervals assume beyond the samples.
void add_assumptions(std::vector<std::string>& notes, const Comparison& comparison) {
    const AssumedSpread& spread = comparison.rules.spread;
    notes.push_back(fmt::format(
        "A side has fewer than {} processes, too few to show how they differ; a standard deviation "
        "of {} is assumed, {}. strata compare measures each side of a network in several "
        "processes, in turn.",
        min_launches_for_interval, percent(spread.processes),
        spread.is_prior()
            ? "a prior; strata calibrate --comparison measures it for this machine"
            : fmt::format("as measured on this machine on {}", spread.created.substr(0, 10))));
    if (comparison.assumes_samples) {
        notes.push_back(
            fmt::format("Some steps have fewer than {} samples; a standard deviation of {} is "
                        "assumed, a prior.",
                        min_samples_for_interval, percent(spread.samples)));
    }
    if (comparison.machine_change.value_or(0) >= 0.001) {
        notes.push_back(
            fmt::format("While one side ran, a loop of fixed work ran {} slower; all intervals are "
                        "widened by as much.",
                        percent(*comparison.machine_change)));
    }
}

std::vector<std::string> notes_of(const Comparison& comparison, const ComparedRuns& runs) {
    const ComparisonRules& rules = comparison.rules;
    std::vector<std::string> notes = {
        fmt::format("same: the interval of the ratio lies within {}; faster, slower: it excludes "
                    "1, and the ratio is beyond that. At most {} of the layers called faster or "
                    "slower are expected to be wrong; a layer marked 'cannot tell' shows the "
                    "interval used to judge all layers together. The whole has its {} interval.",
                    percent(rules.margin), percent(rules.false_discoveries),
                    percent(1 - rules.false_verdicts))};
    if (const auto smallest = smallest_visible(comparison.whole);
        smallest && modelled_sides(runs) < 2) {
        notes.push_back(fmt::format(
            "These samples can show differences of the whole of {} or more.", percent(*smallest)));
    }
    if (comparison.in_turn) {
        notes.emplace_back(
            "The sides took turns: a ratio compares neighbouring processes, averaged robustly over "
            "the rounds, and is steadier than the quotient of the two columns.");
    }
    if (std::string algorithms = algorithms_note(runs); !algorithms.empty()) {
        notes.push_back(std::move(algorithms));
    }
    for (const Run* run : {&runs.before.front(), &runs.after.front()}) {
        if (const auto rare = rare_steps_text(*run)) {
            notes.push_back(fmt::format("Run {}: {}", run->id, *rare));
        }
    }
    const int modelled = modelled_sides(runs);
    if (modelled > 0) {
        notes.emplace_back(
            fmt::format("Modelled times have no spread: {}; the model's error is not included; "
                        "each prediction states it.",
                        modelled == 2 ? "a verdict here says how two predictions differ"
                                      : "an interval here covers only the measured side"));
    }
    if (comparison.assumes_processes) {
        add_assumptions(notes, comparison);
    }
    return notes;
}

std::string title_of(const Comparison& comparison, const ComparedRuns& runs) {
    const Settings& settings = runs.before.front().settings;
    return fmt::format("{}, batch {}: {}, {} and {}", settings.network, settings.batch,
                       text_of(comparison.differences), runs_text(runs.before),
                       runs_text(runs.after));
}

std::string capitalised(std::string text) {
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text;
}

// ---- by class of operator

struct ClassTimes {
    std::string operation;
    Seconds before;
    Seconds after;
};

std::vector<ClassTimes> by_class(const Comparison& comparison) {
    std::vector<ClassTimes> classes;
    for (const ComparedTime& row : comparison.rows) {
        if (!row.before || !row.after) {
            continue;
        }
        auto found = std::ranges::find(classes, row.operation, &ClassTimes::operation);
        if (found == classes.end()) {
            found = classes.insert(classes.end(), {row.operation, {}, {}});
        }
        found->before += row.before->median;
        found->after += row.after->median;
    }
    std::ranges::stable_sort(classes, std::greater(), &ClassTimes::before);
    return classes;
}

// Shows both sides' times in one unit.
void read_across(Table& table) {
    for (Column& column : table.columns) {
        if (column.key == "before_s" || column.key == "after_s") {
            column.read_with = "side";
        }
    }
}

Table class_table(const Comparison& comparison) {
    Table table{.title = "by class of operator"};
    table.columns = {{"operator", "operator", Importance::essential},
                     {"before_s", "before", Importance::essential},
                     {"after_s", "after", Importance::essential},
                     {"ratio", "after / before", Importance::essential}};
    read_across(table);
    for (const ClassTimes& one : by_class(comparison)) {
        table.rows.push_back({one.operation, time_cell(one.before), time_cell(one.after),
                              one.before > Seconds{0} ? number_cell(one.after / one.before, "")
                                                      : Cell(Missing{"it takes no time"})});
    }
    return table;
}

// ---- where the difference is

constexpr std::size_t named_differences = 5;

// The rows of one family that differ in one direction.
struct FamilyDifference {
    std::vector<std::string> layers = {};
    std::string name = {};  // the first row's, possibly several layers in one step
    std::string pass = {};
    Seconds before = {};
    Seconds after = {};

    Seconds change() const { return after - before; }
};

// What each row computes: the problem of its first layer.
std::vector<StepWork> works_of(const std::vector<const ComparedTime*>& rows, const Run& run) {
    std::map<std::string_view, std::string_view> problems;
    for (const StepResult& step : run.steps) {
        problems.emplace(step.layer, step.problem);
    }
    std::vector<StepWork> works;
    for (const ComparedTime* row : rows) {
        const std::string& layer = row->layers.front();
        const auto found = problems.find(layer);
        works.push_back({.layer = layer,
                         .operation = row->operation,
                         .problem = found == problems.end() ? "" : found->second,
                         .pass = parse_pass(row->pass)});
    }
    return works;
}

std::vector<FamilyDifference> differences_of(const Comparison& comparison, const Run& run) {
    std::vector<FamilyDifference> differences;
    for (const Verdict verdict : {Verdict::faster, Verdict::slower}) {
        std::vector<const ComparedTime*> rows;
        for (const ComparedTime& row : comparison.rows) {
            if (row.verdict == verdict) {
                rows.push_back(&row);
            }
        }
        const auto families = families_of(works_of(rows, run));
        const std::size_t first = differences.size();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            differences.resize(std::max(differences.size(), first + families[i] + 1));
            FamilyDifference& family = differences[first + families[i]];
            family.name = family.layers.empty() ? layers_text(rows[i]->layers) : family.name;
            family.layers.push_back(rows[i]->layers.front());
            family.pass = rows[i]->pass;
            family.before += rows[i]->before->median;
            family.after += rows[i]->after->median;
        }
    }
    std::ranges::stable_sort(differences, std::greater(), [](const FamilyDifference& one) {
        return std::abs(one.change().value);
    });
    return differences;
}

// The families of rows that differ, largest difference first:
//   "conv2 backward_data takes 2.06 ms less: 8.24 ms against 10.3 ms."
//   "h.0–h.47.attention forward (48 layers) take 2.06 ms less: 8.24 ms against 10.3 ms."
Ranking largest_differences(const Comparison& comparison, const Run& run) {
    const LayerNames names(layers_of(run));
    Ranking ranking;
    for (const FamilyDifference& one : differences_of(comparison, run)) {
        if (ranking.items.size() < named_differences) {
            const bool is_one = one.layers.size() == 1;
            const std::string who =
                is_one ? fmt::format("{} {} takes", one.name, one.pass)
                       : fmt::format("{} {} ({} layers) take", names.text(one.layers), one.pass,
                                     one.layers.size());
            ranking.items.push_back(fmt::format("{} {} {}: {} against {}.", who,
                                                duration(Seconds{std::abs(one.change().value)}),
                                                one.change() > Seconds{0} ? "more" : "less",
                                                duration(one.after), duration(one.before)));
        }
    }
    return ranking;
}

// ---- charts

constexpr std::size_t layers_in_bars = 9;

// Times by layer, with equal layers and all passes added up.
std::vector<LayerBar> layer_bars_of(const Comparison& comparison, const Run& run) {
    std::vector<const ComparedTime*> rows;
    std::ranges::transform(comparison.rows, std::back_inserter(rows),
                           [](const ComparedTime& row) { return &row; });
    auto works = works_of(rows, run);
    std::ranges::for_each(works, [](StepWork& work) { work.pass = Pass::forward; });
    const auto families = families_of(works);
    std::vector<LayerBar> bars;
    std::vector<std::vector<std::string>> layers;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        bars.resize(std::max(bars.size(), families[i] + 1));
        layers.resize(bars.size());
        LayerBar& bar = bars[families[i]];
        bar.name = layers_text(rows[i]->layers);
        auto& names = layers[families[i]];
        if (std::ranges::find(names, rows[i]->layers.front()) == names.end()) {
            names.push_back(rows[i]->layers.front());
        }
        bar.times.resize(2);
        bar.times[0] += rows[i]->before ? rows[i]->before->median : Seconds{0};
        bar.times[1] += rows[i]->after ? rows[i]->after->median : Seconds{0};
    }
    const LayerNames names(layers_of(run));
    for (std::size_t i = 0; i < bars.size(); ++i) {
        bars[i].name = layers[i].size() == 1 ? bars[i].name : names.text(layers[i]);
    }
    return bars;
}

XyChart speed_up_chart(const Comparison& comparison) {
    XyChart chart{.title = "Speed-up of each layer over its time",
                  .x = {.key = "before_s",
                        .title = "time before",
                        .unit = "s",
                        .scale = AxisScale::logarithmic},
                  .y = {.key = "speed_up",
                        .title = "before / after",
                        .unit = "",
                        .scale = AxisScale::logarithmic}};
    std::map<std::string, XyChart::Series> by_pass;
    for (const ComparedTime& row : comparison.rows) {
        if (row.ratio) {
            XyChart::Series& series = by_pass[row.pass];
            series.name = row.pass;
            series.points.push_back({layers_text(row.layers), row.before->median.value,
                                     1 / row.ratio->value, 1 / row.ratio->high,
                                     1 / row.ratio->low});
        }
    }
    for (auto& [pass, series] : by_pass) {
        chart.series.push_back(std::move(series));
    }
    return chart;
}

Json ratio_json(const ComparedTime& time) {
    const auto& ratio = time.ratio;
    return {{"verdict", time.verdict ? Json(name_of(*time.verdict)) : Json()},
            {"ratio", ratio ? number_json(ratio->value) : Json()},
            {"low", ratio ? number_json(ratio->low) : Json()},
            {"high", ratio ? number_json(ratio->high) : Json()}};
}

Json median_json(const std::optional<Estimate>& time) {
    return time ? number_json(time->median.value) : Json();
}

Json differences_json(const Comparison& comparison) {
    Json differences = Json::array();
    for (const SettingDifference& each : comparison.differences) {
        differences.push_back(
            {{"setting", each.name}, {"before", each.before}, {"after", each.after}});
    }
    return differences;
}

Json ids_json(Runs runs) {
    Json ids = Json::array();
    for (const Run& run : runs) {
        ids.push_back(run.id);
    }
    return ids;
}

}  // namespace

StackedBars heaviest_layers(std::vector<std::string> labels, std::vector<LayerBar> layers) {
    StackedBars bars{.title = "Time of an iteration by layer", .unit = "s"};
    bars.labels = std::move(labels);
    std::ranges::stable_sort(layers, std::greater(), [](const LayerBar& layer) {
        return *std::ranges::max_element(layer.times);
    });
    StackedBars::Series others{"other layers", {}};
    others.values.assign(bars.labels.size(), 0);
    for (std::size_t i = 0; i < layers.size(); ++i) {
        StackedBars::Series series{layers[i].name, {}};
        for (std::size_t side = 0; side < bars.labels.size(); ++side) {
            series.values.emplace_back(layers[i].times[side].value);
            if (i >= layers_in_bars) {
                *others.values[side] += layers[i].times[side].value;
            }
        }
        if (i < layers_in_bars) {
            bars.series.push_back(std::move(series));
        }
    }
    if (layers.size() > layers_in_bars) {
        bars.series.push_back(std::move(others));
    }
    return bars;
}

std::string verdict_text(const std::optional<Verdict>& verdict) {
    if (!verdict) {
        return "not comparable";
    }
    return *verdict == Verdict::unclear ? "cannot tell" : std::string(name_of(*verdict));
}

std::string runs_text(std::span<const Run> runs) {
    std::string text = runs.size() == 1 ? "run " : "runs ";
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const char* between = i == 0 ? "" : i + 1 == runs.size() ? " and " : ", ";
        text += fmt::format("{}{}", between, runs[i].id);
    }
    return text;
}

namespace {

// A ratio to half a percent, with as many decimals as keep it on its side of 1 and of the margin: a
// sentence must not say 1.02 for a ratio beyond 1.02.
std::string ratio_text(double ratio, double margin) {
    const std::array edges = {1.0, 1 + margin, 1 / (1 + margin)};
    std::string text;
    for (int decimals = 2; decimals <= 9; ++decimals) {
        text = fmt::format("{:.{}f}", ratio, decimals);
        const double shown = parse_number(text).value_or(ratio);
        const bool keeps_sides = std::ranges::all_of(edges, [&](double edge) {
            return (shown > edge) == (ratio > edge) && (shown < edge) == (ratio < edge);
        });
        if (keeps_sides && std::abs(shown - ratio) <= 0.005 * ratio) {
            break;
        }
    }
    return text;
}

// " (1.95 to 2.05)"; empty if there is no interval.
std::string bounds_text(double low, double high, double margin) {
    return low < high
               ? fmt::format(" ({} to {})", ratio_text(low, margin), ratio_text(high, margin))
               : "";
}

// The sentence on a time that has a verdict; it begins in lower case.
std::string verdict_sentence(const ComparedTime& time, const ComparedRuns& runs, double margin) {
    const auto [before, after] = names_of(runs);
    const Ratio& ratio = *time.ratio;
    const std::string sides =
        fmt::format("{} against {}", duration(time.after->median), duration(time.before->median));
    const bool one = runs.after.size() == 1;
    switch (*time.verdict) {
        case Verdict::faster:
            return fmt::format("{} {} {} times as fast as {}{}: {}.", after, one ? "is" : "are",
                               ratio_text(1 / ratio.value, margin), before,
                               bounds_text(1 / ratio.high, 1 / ratio.low, margin), sides);
        case Verdict::slower:
            return fmt::format("{} {} {} times as long as {}{}: {}.", after, one ? "takes" : "take",
                               ratio_text(ratio.value, margin), before,
                               bounds_text(ratio.low, ratio.high, margin), sides);
        case Verdict::same:
            return fmt::format("{} and {} take the same time within {}: {}.", before, after,
                               percent(margin), sides);
        case Verdict::unclear:
            break;
    }
    return fmt::format(
        "these samples cannot tell whether {} and {} differ by more than {}: the ratio is {}{}, "
        "{}.",
        before, after, percent(margin), ratio_text(ratio.value, margin),
        bounds_text(ratio.low, ratio.high, margin), sides);
}

std::size_t common_steps(const Comparison& comparison) {
    return static_cast<std::size_t>(std::ranges::count_if(
        comparison.rows, [](const ComparedTime& row) { return row.before && row.after; }));
}

// "By the sum of the 12 steps that both have, run 2 takes …"
std::string sum_sentence(const Comparison& comparison, const ComparedRuns& runs) {
    const std::size_t steps = common_steps(comparison);
    return fmt::format("By {} that both have, {}",
                       steps == 1 ? "the step" : fmt::format("the sum of the {} steps", steps),
                       verdict_sentence(comparison.sum, runs, comparison.rules.margin));
}

// "Run 1 and run 2 cannot be compared end to end: …."
std::string why_no_whole(const ComparedRuns& runs) {
    const auto [before, after] = names_of(runs);
    const auto is_imported = [](const Run& run) { return run.origin == Origin::imported; };
    const bool has_profile = std::ranges::any_of(runs.before, is_imported) ||
                             std::ranges::any_of(runs.after, is_imported);
    return fmt::format(
        "{} and {} cannot be compared end to end{}.", capitalised(before), after,
        has_profile ? ": a profile has no iteration without the profiler's own cost" : "");
}

// Why a gate cannot be judged, and what to do.
std::string why_open(const Comparison& comparison, const ComparedRuns& runs) {
    const ComparedTime& judged = comparison.whole.ratio ? comparison.whole : comparison.sum;
    if (!judged.ratio) {
        return why_no_whole(runs) + " No step is timed on both sides, either.";
    }
    const bool is_clear = judged.verdict != Verdict::unclear;
    const std::string sentence = verdict_sentence(judged, runs, comparison.rules.margin);
    if (is_clear) {  // but the steps that only one side has could change it
        return fmt::format(
            "By the steps that both have, {} Steps that only one side has take {} "
            "before and {} after.",
            sentence, duration(comparison.before.unmatched), duration(comparison.after.unmatched));
    }
    return capitalised(sentence) + " More processes of each side narrow it.";
}

}  // namespace

std::string comparison_lead(const Comparison& comparison, const ComparedRuns& runs) {
    if (!comparison.refusal.empty()) {
        const auto [before, after] = names_of(runs);
        return fmt::format("{} and {} are not compared: {}.", capitalised(before), after,
                           comparison.refusal);
    }
    if (comparison.whole.verdict) {
        return capitalised(verdict_sentence(comparison.whole, runs, comparison.rules.margin));
    }
    return why_no_whole(runs) +
           (comparison.sum.verdict ? " " + sum_sentence(comparison, runs) : "");
}

std::string gate_sentence(const Gate& gate, const Comparison& comparison,
                          const ComparedRuns& runs) {
    if (gate.result == GateResult::passes) {
        return {};
    }
    const std::string limit = fmt::format("{:.2g} %", 100 * gate.limit);
    if (gate.result == GateResult::open) {
        return fmt::format("--fail-on {} cannot be judged: {}", limit, why_open(comparison, runs));
    }
    const double margin = comparison.rules.margin;
    const std::string slower = gate.by_steps
                                   ? sum_sentence(comparison, runs)
                                   : capitalised(verdict_sentence(comparison.whole, runs, margin));
    return fmt::format("{} --fail-on allows {}.", slower, limit);
}

Table comparison_table(const Comparison& comparison, const ComparedRuns& runs) {
    std::vector<ComparisonRow> rows, totals;
    for (const ComparedTime& time : comparison.rows) {
        rows.push_back(row_of(time, runs));
    }
    const ComparedParts& before = comparison.before;
    const ComparedParts& after = comparison.after;
    if (before.unmatched > Seconds{0} || after.unmatched > Seconds{0}) {
        totals.push_back(parts_row("only on one side", runs, before.unmatched, after.unmatched));
    }
    if (modelled_sides(runs) < 2) {  // a prediction's total is the sum of its steps
        totals.push_back(parts_row("outside the steps", runs, before.outside, after.outside));
    }
    if (!comparison.whole.ratio && comparison.sum.ratio) {
        totals.push_back(row_of(comparison.sum, runs, "steps that both have"));
    }
    totals.push_back(row_of(comparison.whole, runs));
    Table table = table_of(columns_of_comparison(), rows,
                           {.notes = notes_of(comparison, runs), .records = "steps"});
    for (const ComparisonRow& total : totals) {
        table.totals.push_back(cells_of(columns_of_comparison(), total));
    }
    read_across(table);
    return table;
}

Document pair_document(const Run& before, const Run& after) {
    const ComparedRuns runs{{&before, 1}, {&after, 1}};
    const Comparison comparison = compare(before, after);
    const std::string title = title_of(comparison, runs);
    if (!comparison.refusal.empty()) {
        return {title, {Paragraph{fmt::format("Not compared: {}.", comparison.refusal)}}};
    }
    return {title, {comparison_table(comparison, runs)}};
}

Document comparison_document(const ComparedRuns& runs, const ComparisonRules& rules) {
    const Comparison comparison = compare(runs.before, runs.after, rules);
    Document document{title_of(comparison, runs), {Lead{comparison_lead(comparison, runs)}}};
    document.kind = "compare";
    if (comparison.refusal.empty()) {
        if (Ranking ranking = largest_differences(comparison, runs.before.front());
            !ranking.items.empty()) {
            document.blocks.emplace_back(std::move(ranking));
        }
        document.blocks.emplace_back(comparison_table(comparison, runs));
        document.blocks.emplace_back(class_table(comparison));
        const auto names = names_of(runs);
        document.blocks.emplace_back(heaviest_layers(
            {names.begin(), names.end()}, layer_bars_of(comparison, runs.before.front())));
        document.blocks.emplace_back(speed_up_chart(comparison));
    }
    return document;
}

namespace {

Json origin_json(Runs side) {
    return side.empty() ? Json() : Json(name_of(side.front().origin));
}

}  // namespace

Json pair_json(const Run& before, const Run& after) {
    const ComparedRuns runs{{&before, 1}, {&after, 1}};
    const Comparison comparison = compare(before, after);
    Json pair = {{"before", before.id},
                 {"after", after.id},
                 {"before_origin", name_of(before.origin)},
                 {"after_origin", name_of(after.origin)},
                 {"differences", differences_json(comparison)},
                 {"reason", text_json(comparison.refusal)},
                 {"end_to_end", nullptr},
                 {"steps", Json::array()}};
    if (!comparison.refusal.empty()) {
        return pair;
    }
    Table table = comparison_table(comparison, runs);
    const std::vector<std::vector<Cell>> totals = std::move(table.totals);
    pair["steps"] = records_in({.blocks = {table}});
    table.rows = {totals.back()};
    pair["end_to_end"] = records_in({.blocks = {std::move(table)}}).front();
    pair["end_to_end"]["layer"] = nullptr;
    pair["end_to_end"]["pass"] = nullptr;
    return pair;
}

Json comparison_json(const Comparison& comparison, const ComparedRuns& runs) {
    Json whole = ratio_json(comparison.whole);
    whole["margin"] = comparison.rules.margin;
    whole["a_s"] = median_json(comparison.whole.before);
    whole["b_s"] = median_json(comparison.whole.after);
    const auto smallest = smallest_visible(comparison.whole);
    whole["smallest_visible"] = smallest ? number_json(*smallest) : Json();
    Json sum = ratio_json(comparison.sum);
    sum["steps"] = common_steps(comparison);
    sum["a_s"] = median_json(comparison.sum.before);
    sum["b_s"] = median_json(comparison.sum.after);
    Json layers = Json::array();
    for (const ComparedTime& row : comparison.rows) {
        if (row.verdict) {
            Json& layer =
                layers.emplace_back(Json{{"layer", join(row.layers, " + ")}, {"pass", row.pass}});
            layer.update(ratio_json(row));
            layer["a_s"] = median_json(row.before);
            layer["b_s"] = median_json(row.after);
        }
    }
    const auto outside = [](const ComparedParts& parts) {
        return parts.outside ? number_json(parts.outside->value) : Json();
    };
    return {
        {"a", ids_json(runs.before)},
        {"b", ids_json(runs.after)},
        {"a_origin", origin_json(runs.before)},
        {"b_origin", origin_json(runs.after)},
        {"differences", differences_json(comparison)},
        {"reason", text_json(comparison.refusal)},
        {"whole", std::move(whole)},
        {"sum", std::move(sum)},
        {"layers", std::move(layers)},
        {"unmatched",
         {{"a_s", comparison.before.unmatched.value}, {"b_s", comparison.after.unmatched.value}}},
        {"outside", {{"a_s", outside(comparison.before)}, {"b_s", outside(comparison.after)}}}};
}

}  // namespace strata
