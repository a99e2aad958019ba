// SPDX-License-Identifier: MIT
#include "analyze/compare.h"

#include "analyze/ran_algorithms.h"
#include "analyze/summary.h"
#include "base/error.h"
#include "base/text.h"
#include "record/completeness.h"
#include "record/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace strata {

namespace {

using Named = std::map<std::string, std::string>;

Named named(const Settings& settings) {
    Named all = identifying_settings(settings);
    all["backend"] = settings.backend;
    all["network"] = settings.network;
    all["batch"] = std::to_string(settings.batch);
    for (const Option& option : all_options()) {
        if (option.kept == Kept::in_column) {
            all[std::string(option.name)] = text_of(settings, option);
        }
    }
    return all;
}

std::string value_of(const Named& settings, const std::string& name) {
    const auto found = settings.find(name);
    return found == settings.end() ? "default" : found->second;
}

std::string task_of(const StepResult& step) {
    return step.layer + " " + std::string(name_of(step.pass));
}

using Runs = std::span<const Run>;

// Groups of tasks that some run does in one operation, each represented by one of them
// (union-find). One run may fuse a with b and another b with c: then all three are one row.
class FusedTasks {
public:
    FusedTasks(Runs before, Runs after) {
        for (const Runs runs : {before, after}) {
            for (const Run& run : runs) {
                for (const StepResult& step : run.steps) {
                    if (const auto* included = std::get_if<Included>(&step.time)) {
                        join(task_of(step), included->step);
                    }
                }
            }
        }
    }

    std::string group_of(const std::string& task) const {
        auto found = above_.find(task);
        std::string top = task;
        while (found != above_.end()) {
            top = found->second;
            found = above_.find(top);
        }
        return top;
    }

private:
    void join(const std::string& part, const std::string& whole) {
        const std::string one = group_of(part);
        const std::string other = group_of(whole);
        if (one != other) {
            above_[one] = other;
        }
    }

    std::map<std::string, std::string> above_;
};

// Whether a side has too few processes to show their spread. A model has no processes.
bool has_few_processes(const Launches& launches) {
    return !launches.is_exact && launches.samples.size() < min_launches_for_interval;
}

bool has_few_samples(const std::vector<Seconds>& samples) {
    return samples.size() < min_samples_for_interval;
}

// The variance of a side's time that its few processes cannot show.
double unseen_variance(const Launches& launches, const AssumedSpread& spread) {
    if (!has_few_processes(launches)) {
        return 0;
    }
    const auto processes = static_cast<double>(launches.samples.size());
    double of_samples = 0;
    for (const std::vector<Seconds>& samples : launches.samples) {
        of_samples += has_few_samples(samples)
                          ? std::pow(spread.samples, 2) / static_cast<double>(samples.size())
                          : 0;
    }
    return std::pow(spread.processes, 2) / processes + of_samples / (processes * processes);
}

// The samples of one row on both sides.
struct SampledRow {
    ComparedTime time = {};
    Launches before = {};
    Launches after = {};

    bool is_compared() const { return time.ratio.has_value(); }
};

// By the medians of the calibration loops that ran between the iterations, on processors that
// computed them.
std::optional<double> machine_change_between(Runs before, Runs after) {
    const auto loops_of = [](Runs runs) {
        std::vector<Seconds> medians;
        for (const Run& run : runs) {
            if (!run.whole.calibration.values.empty() && !run.ran_on_gpu()) {
                medians.push_back(median_of(run.whole.calibration.values));
            }
        }
        return medians.empty() ? Seconds{0} : median_of(medians);
    };
    const Seconds one = loops_of(before);
    const Seconds other = loops_of(after);
    if (one <= Seconds{0} || other <= Seconds{0}) {
        return std::nullopt;
    }
    return std::max(one, other) / std::min(one, other) - 1;
}

// Whether the sides alternated: the n-th runs of both precede the next run of either.
bool are_in_turn(Runs before, Runs after) {
    if (before.size() != after.size() || before.size() < min_launches_for_interval) {
        return false;
    }
    const auto moment = [](const Run& run) { return std::pair(run.created, run.id); };
    for (std::size_t i = 1; i < before.size(); ++i) {
        const auto last = std::max(moment(before[i - 1]), moment(after[i - 1]));
        if (last >= moment(before[i]) || last >= moment(after[i])) {
            return false;
        }
    }
    return true;
}

// How to compare the sides' processes.
struct Pairing {
    std::size_t pairs = 0;  // number of runs of each side that alternated; 0: none
    double allowance = 0;   // widens each interval by this share
    AssumedSpread spread = {};
};

Pairing pairing_of(Runs before, Runs after, const ComparisonRules& rules) {
    const bool are_few = std::min(before.size(), after.size()) < min_launches_for_interval;
    return {.pairs = are_in_turn(before, after) ? before.size() : 0,
            .allowance = are_few ? machine_change_between(before, after).value_or(0) : 0,
            .spread = rules.spread};
}

Ratio ratio_of(const SampledRow& row, const Pairing& pairing) {
    const bool all_are_paired = pairing.pairs > 0 && row.before.samples.size() == pairing.pairs &&
                                row.after.samples.size() == pairing.pairs;
    const Ratio seen = all_are_paired ? ratio_of_pairs(row.before, row.after)
                                      : ratio_of_medians(row.before, row.after);
    const double unseen =
        unseen_variance(row.before, pairing.spread) + unseen_variance(row.after, pairing.spread);
    return widened(with_deviation(seen, std::sqrt(unseen)), pairing.allowance);
}

void estimate_row(SampledRow& row, const Pairing& pairing) {
    const auto time_of = [](const Launches& side) {
        return side.samples.empty() ? std::nullopt : std::optional(estimate(side));
    };
    row.time.before = time_of(row.before);
    row.time.after = time_of(row.after);
    if (row.time.before && row.time.after && is_positive(row.before) && is_positive(row.after)) {
        row.time.ratio = ratio_of(row, pairing);
    }
}

// Judges rows by the false discovery rate. A row that is not a discovery gets the wider interval
// that shows it.
void judge(std::span<SampledRow> rows, const ComparisonRules& rules) {
    std::vector<double> chances;
    for (const SampledRow& row : rows) {
        if (row.is_compared()) {
            chances.push_back(chance_of(*row.time.ratio));
        }
    }
    const std::vector<bool> found = discoveries(chances, rules.false_discoveries);
    const auto next_rank = static_cast<double>(std::ranges::count(found, true) + 1);
    const double confidence =
        1 - rules.false_discoveries * std::min(1.0, next_rank / static_cast<double>(found.size()));
    std::size_t next = 0;
    for (SampledRow& row : rows) {
        if (!row.is_compared()) {
            continue;
        }
        Ratio& ratio = *row.time.ratio;
        if (!found[next++] && verdict_of(ratio, rules.margin) != Verdict::same) {
            ratio = at_confidence(ratio, std::max(ratio.confidence, confidence));
        }
        row.time.verdict = verdict_of(ratio, rules.margin);
    }
}

// Judges a single question.
ComparedTime judged_alone(SampledRow row, const Pairing& pairing, const ComparisonRules& rules) {
    estimate_row(row, pairing);
    if (row.is_compared()) {
        row.time.ratio = at_confidence(*row.time.ratio, 1 - rules.false_verdicts);
        row.time.verdict = verdict_of(*row.time.ratio, rules.margin);
    }
    return std::move(row.time);
}

// The sum of one process's samples over all rows: iteration by iteration if all rows have equally
// many, else of their medians, as one sample.
std::vector<Seconds> added_up(const std::vector<const std::vector<Seconds>*>& rows) {
    const std::size_t count = rows.front()->size();
    const bool are_together =
        std::ranges::all_of(rows, [&](const auto* samples) { return samples->size() == count; });
    std::vector<Seconds> sums(are_together ? count : 1);
    for (const std::vector<Seconds>* samples : rows) {
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] += are_together ? (*samples)[i] : median_of(*samples);
        }
    }
    return sums;
}

Launches added_up(const std::vector<const SampledRow*>& rows, Launches SampledRow::*side) {
    Launches sums{.samples = {}, .is_exact = (rows.front()->*side).is_exact};
    const std::size_t processes = (rows.front()->*side).samples.size();
    for (std::size_t process = 0; process < processes; ++process) {
        std::vector<const std::vector<Seconds>*> samples;
        for (const SampledRow* row : rows) {
            if (process < (row->*side).samples.size()) {
                samples.push_back(&(row->*side).samples[process]);
            }
        }
        if (samples.size() == rows.size()) {  // (a process that lacks a row has no sum)
            sums.samples.push_back(added_up(samples));
        }
    }
    return sums;
}

SampledRow sum_of(const std::vector<SampledRow>& rows) {
    std::vector<const SampledRow*> common;
    for (const SampledRow& row : rows) {
        if (row.time.before && row.time.after) {
            common.push_back(&row);
        }
    }
    return common.empty() ? SampledRow{}
                          : SampledRow{.before = added_up(common, &SampledRow::before),
                                       .after = added_up(common, &SampledRow::after)};
}

// Whether the rows rest on assumptions about processes, and about samples.
std::pair<bool, bool> assumptions_of(const std::vector<SampledRow>& rows) {
    std::pair<bool, bool> assumed = {false, false};
    for (const SampledRow& row : rows) {
        for (const Launches* side : {&row.before, &row.after}) {
            if (row.is_compared() && has_few_processes(*side)) {
                assumed.first = true;
                assumed.second =
                    assumed.second || std::ranges::any_of(side->samples, has_few_samples);
            }
        }
    }
    return assumed;
}

// Rows under construction, in the order of their first layers.
class Rows {
public:
    Rows(Runs before, Runs after) : fused_(before, after) {
        add(before, &SampledRow::before);
        add(after, &SampledRow::after);
    }

    std::vector<SampledRow> take(const Pairing& pairing) {
        std::vector<SampledRow> all;
        for (const std::string& name : order_) {
            SampledRow& row = rows_.at(name);
            estimate_row(row, pairing);
            if (row.time.before || row.time.after) {
                all.push_back(std::move(row));
            }
        }
        return all;
    }

private:
    void add(Runs runs, Launches SampledRow::*side) {
        for (const Run& run : runs) {
            std::map<std::string, std::vector<const StepResult*>> steps;
            for (const std::size_t i : steps_by_layer(run)) {
                const StepResult& step = run.steps[i];
                steps[fused_.group_of(task_of(step))].push_back(&step);
                name(row_of(step), step);
            }
            for (const auto& [row, parts] : steps) {
                Launches& launches = rows_.at(row).*side;
                launches.is_exact = run.origin == Origin::modelled;
                if (auto sums = sums_of(parts); !sums.empty()) {
                    launches.samples.push_back(std::move(sums));
                } else if (const auto sum = sum_of(parts)) {
                    launches.samples.push_back({sum->median});  // as one sample
                }
            }
        }
    }

    static void name(SampledRow& row, const StepResult& step) {
        if (std::ranges::find(row.time.layers, step.layer) == row.time.layers.end()) {
            row.time.layers.push_back(step.layer);
        }
    }

    SampledRow& row_of(const StepResult& step) {
        const std::string group = fused_.group_of(task_of(step));
        const auto [found, is_new] = rows_.try_emplace(group);
        if (is_new) {
            order_.push_back(group);
            found->second.time.pass = name_of(step.pass);
            found->second.time.operation = step.operation;
        }
        return found->second;
    }

    FusedTasks fused_;
    std::map<std::string, SampledRow> rows_;
    std::vector<std::string> order_;
};

}  // namespace

std::vector<SettingDifference> differences_between(const Settings& before, const Settings& after) {
    const Named one = named(before);
    const Named other = named(after);
    std::set<std::string> names;
    for (const Named* settings : {&one, &other}) {
        for (const auto& [name, value] : *settings) {
            names.insert(name);
        }
    }
    std::vector<SettingDifference> differences;
    for (const std::string& name : names) {
        if (value_of(one, name) != value_of(other, name)) {
            differences.push_back({.name = name,
                                   .before = value_of(one, name),
                                   .after = value_of(other, name),
                                   .is_tuned_before = name == "choices" && is_tuned(before),
                                   .is_tuned_after = name == "choices" && is_tuned(after)});
        }
    }
    return differences;
}

Verdict verdict_of(const Ratio& ratio, double margin) {
    const double most = 1 + margin;
    if (ratio.low >= 1 / most && ratio.high <= most) {
        return Verdict::same;
    }
    if (ratio.low > 1 && ratio.value > most) {
        return Verdict::slower;
    }
    return ratio.high < 1 && ratio.value < 1 / most ? Verdict::faster : Verdict::unclear;
}

bool is_tuned(const Settings& settings) {
    return std::ranges::any_of(settings.execution.engine.choices, [](const AlgorithmChoice& one) {
        return one.source == ChoiceSource::tuned;
    });
}

namespace {

// The name of a side's algorithms next to a tuned side. A framework that has no tuned side chooses
// its own.
std::string tuning_name(const Settings& side, std::span<const Settings> sides) {
    if (is_tuned(side)) {
        return "tuned";
    }
    const bool has_tuned_twin = std::ranges::any_of(sides, [&](const Settings& other) {
        return is_tuned(other) && other.backend == side.backend;
    });
    return has_tuned_twin ? text_of(side, "algorithm") : "";
}

// Whether all sides of a backend have the same value, so that the backend's name says as much.
bool follows_backend(std::string_view option, std::span<const Settings> sides) {
    std::map<std::string, std::string> values;
    return std::ranges::all_of(sides, [&](const Settings& side) {
        const std::string value = text_of(side, option);
        return values.emplace(side.backend, value).first->second == value;
    });
}

}  // namespace

std::vector<std::string> names_of_sides(std::span<const Settings> sides) {
    constexpr std::array<std::string_view, 5> told_by_value = {"backend", "network", "algorithm",
                                                               "dtype", "mode"};
    std::set<std::string> varied;
    bool any_is_modelled = false;
    for (const Settings& side : sides) {
        for (const SettingDifference& each : differences_between(sides.front(), side)) {
            varied.insert(each.name);
        }
        any_is_modelled = any_is_modelled || is_modelled(side);
    }
    varied.erase("recording content");
    if (any_is_modelled) {  // as in drop_unrecorded
        varied.erase("algorithm");
        varied.erase("threads");
    }
    if (varied.contains("backend") && follows_backend("peer_option", sides)) {
        varied.erase("peer_option");
    }
    // (A tuning has too many choices for a name.)
    const bool has_tuned = varied.contains("choices") && std::ranges::any_of(sides, is_tuned);
    if (has_tuned) {
        varied.erase("choices");
        varied.erase("algorithm");
    }
    std::vector<std::string> names;
    for (const Settings& side : sides) {
        std::vector<std::string> parts;
        for (const std::string& name : varied) {
            const bool is_plain = std::ranges::find(told_by_value, name) != told_by_value.end();
            parts.push_back((is_plain ? "" : name + " ") + value_of(named(side), name));
        }
        if (const std::string tuning = has_tuned ? tuning_name(side, sides) : ""; !tuning.empty()) {
            parts.push_back(tuning);
        }
        names.push_back(varied.size() > 3 ? "" : join(parts, ", "));
    }
    return names;
}

namespace {

// If a requested algorithm is not available, another one ran.
void add_what_ran(std::vector<SettingDifference>& differences, const Run& before,
                  const Run& after) {
    const auto algorithm = std::ranges::find(differences, "algorithm", &SettingDifference::name);
    if (algorithm != differences.end()) {
        algorithm->before = algorithm_text(before);
        algorithm->after = algorithm_text(after);
    }
}

// A profile tells no algorithms and often no threads; its hash is not a setting. A prediction for a
// device has no threads, and chooses its algorithms itself.
void drop_unrecorded(std::vector<SettingDifference>& differences, const Run& before,
                     const Run& after) {
    if (before.origin == Origin::modelled || after.origin == Origin::modelled) {
        std::erase_if(differences, [](const SettingDifference& each) {
            return each.name == "algorithm" || each.name == "threads";
        });
    }
    if (before.origin != Origin::imported && after.origin != Origin::imported) {
        return;
    }
    std::erase_if(differences, [](const SettingDifference& each) {
        return each.name == "algorithm" || each.name == "recording content";
    });
    for (SettingDifference& each : differences) {
        for (std::string* value : {&each.before, &each.after}) {
            if (each.name == "threads" && *value == "0") {
                *value = "unknown";
            }
        }
    }
}

std::string refusal_of(Runs before, Runs after) {
    std::vector<std::string> reasons;
    for (const Runs runs : {before, after}) {
        for (const Run& run : runs) {
            if (const std::string holes = holes_text(run); !holes.empty()) {
                reasons.push_back(fmt::format("run {} is incomplete: {}", run.id, holes));
            }
        }
    }
    return join(reasons, "; ");
}

Launches whole_of(Runs runs) {
    Launches launches;
    for (const Run& run : runs) {
        launches.is_exact = run.origin == Origin::modelled;
        if (!run.whole.end_to_end.values.empty()) {
            launches.samples.push_back(values_of_estimate(run.whole.end_to_end));
        }
    }
    return launches;
}

ComparedParts parts_of(const std::vector<ComparedTime>& rows, const ComparedTime& whole,
                       std::optional<Estimate> ComparedTime::*side,
                       std::optional<Estimate> ComparedTime::*other) {
    ComparedParts parts;
    for (const ComparedTime& row : rows) {
        if (row.*side) {
            (row.*other ? parts.matched : parts.unmatched) += (row.*side)->median;
        }
    }
    if (whole.*side) {
        parts.outside = (whole.*side)->median - parts.matched - parts.unmatched;
    }
    return parts;
}

}  // namespace

Comparison compare(Runs before, Runs after, const ComparisonRules& rules) {
    check(!before.empty() && !after.empty(), "a comparison has two sides");
    Comparison comparison;
    comparison.rules = rules;
    comparison.differences = differences_between(before.front().settings, after.front().settings);
    add_what_ran(comparison.differences, before.front(), after.front());
    drop_unrecorded(comparison.differences, before.front(), after.front());
    comparison.refusal = refusal_of(before, after);
    if (!comparison.refusal.empty()) {
        return comparison;
    }
    comparison.machine_change = machine_change_between(before, after);
    comparison.in_turn = are_in_turn(before, after);
    const Pairing pairing = pairing_of(before, after, rules);
    std::vector<SampledRow> rows = Rows(before, after).take(pairing);
    judge(rows, rules);
    comparison.sum = judged_alone(sum_of(rows), pairing, rules);
    std::tie(comparison.assumes_processes, comparison.assumes_samples) = assumptions_of(rows);
    for (SampledRow& row : rows) {
        comparison.rows.push_back(std::move(row.time));
    }
    comparison.whole = compare_whole(before, after, rules);
    comparison.before =
        parts_of(comparison.rows, comparison.whole, &ComparedTime::before, &ComparedTime::after);
    comparison.after =
        parts_of(comparison.rows, comparison.whole, &ComparedTime::after, &ComparedTime::before);
    return comparison;
}

ComparedTime compare_whole(Runs before, Runs after, const ComparisonRules& rules) {
    return judged_alone({.before = whole_of(before), .after = whole_of(after)},
                        pairing_of(before, after, rules), rules);
}

Comparison compare(const Run& before, const Run& after, const ComparisonRules& rules) {
    return compare(Runs(&before, 1), Runs(&after, 1), rules);
}

std::optional<double> smallest_visible(const ComparedTime& whole) {
    return whole.ratio ? std::optional(std::sqrt(whole.ratio->high / whole.ratio->low) - 1)
                       : std::nullopt;
}

std::string rounds_text(const RoundLimits& limits) {
    return limits.fewest == limits.most ? fmt::format("{}", limits.most)
                                        : fmt::format("{} to {}", limits.fewest, limits.most);
}

bool ends_comparison(Runs before, Runs after, const RoundLimits& limits,
                     const ComparisonRules& rules) {
    const auto rounds = static_cast<int>(std::min(before.size(), after.size()));
    if (rounds < limits.fewest || rounds >= limits.most) {
        return rounds >= limits.fewest;
    }
    const auto smallest = smallest_visible(compare_whole(before, after, rules));
    return !smallest || *smallest <= rules.margin;
}

}  // namespace strata
