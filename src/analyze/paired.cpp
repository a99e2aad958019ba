// SPDX-License-Identifier: MIT
#include "analyze/paired.h"

#include "analyze/ran_algorithms.h"
#include "analyze/summary.h"
#include "base/text.h"
#include "record/completeness.h"
#include "record/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace strata {

namespace {

using Named = std::map<std::string, std::string>;

Named named(const Settings& settings) {
    Named all = further_settings(settings);
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

// For each task that either run does within another task's step: the key of that step.
std::map<std::string, std::string> enclosing_steps_in(const Run& before, const Run& after) {
    std::map<std::string, std::string> enclosing_steps;
    for (const Run* run : {&before, &after}) {
        for (const StepResult& step : run->steps) {
            if (const auto* included = std::get_if<Included>(&step.time)) {
                enclosing_steps[task_of(step)] = included->step;
            }
        }
    }
    return enclosing_steps;
}

std::optional<Ratio> ratio_of(const std::optional<Estimate>& after,
                              const std::optional<Estimate>& before) {
    if (!before || !after || before->low <= Seconds{0}) {
        return std::nullopt;
    }
    return Ratio{after->median / before->median, after->low / before->high,
                 after->high / before->low};
}

// Rows under construction, in the order of their first layers.
class Rows {
public:
    Rows(const Run& before, const Run& after)
        : enclosing_steps_(enclosing_steps_in(before, after)) {
        add(before, &Sides::before);
        add(after, &Sides::after);
    }

    std::vector<PairedTime> times() const {
        std::vector<PairedTime> times;
        for (const std::string& row : order_) {
            const Sides& sides = rows_.at(row);
            PairedTime& time = times.emplace_back(PairedTime{sides.layers, sides.pass});
            time.before = sum_of(sides.before);
            time.after = sum_of(sides.after);
            time.ratio = ratio_of(time.after, time.before);
        }
        return times;
    }

private:
    using Steps = std::vector<const StepResult*>;
    struct Sides {
        std::vector<std::string> layers;
        std::string pass;
        Steps before;
        Steps after;
    };

    void add(const Run& run, Steps Sides::*side) {
        for (const std::size_t i : steps_by_layer(run)) {
            const StepResult& step = run.steps[i];
            Sides& sides = row_of(step);
            (sides.*side).push_back(&step);
            if (std::ranges::find(sides.layers, step.layer) == sides.layers.end()) {
                sides.layers.push_back(step.layer);
            }
        }
    }

    Sides& row_of(const StepResult& step) {
        const auto enclosing = enclosing_steps_.find(task_of(step));
        const std::string& row =
            enclosing == enclosing_steps_.end() ? task_of(step) : enclosing->second;
        if (!rows_.contains(row)) {
            order_.push_back(row);
            rows_[row].pass = name_of(step.pass);
        }
        return rows_[row];
    }

    std::map<std::string, std::string> enclosing_steps_;
    std::map<std::string, Sides> rows_;
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
            differences.push_back({name, value_of(one, name), value_of(other, name)});
        }
    }
    return differences;
}

Change PairedTime::change() const {
    if (!ratio) {
        return Change::unknown;
    }
    if (std::min(before->samples, after->samples) < min_samples_for_interval) {
        return Change::uncertain;
    }
    if (ratio->low <= 1 && ratio->high >= 1) {
        return Change::none;
    }
    return ratio->value < 1 ? Change::faster : Change::slower;
}

namespace {

// Where a requested algorithm is not available, another one ran.
void add_what_ran(std::vector<SettingDifference>& differences, const Run& before,
                  const Run& after) {
    const auto algorithm = std::ranges::find(differences, "algorithm", &SettingDifference::name);
    if (algorithm != differences.end()) {
        algorithm->before = algorithm_text(before);
        algorithm->after = algorithm_text(after);
    }
}

std::string refusal_of(const Run& before, const Run& after) {
    std::vector<std::string> reasons;
    for (const Run* run : {&before, &after}) {
        if (const std::string holes = holes_text(*run); !holes.empty()) {
            reasons.push_back(fmt::format("run {} is incomplete: {}", run->id, holes));
        }
    }
    return join(reasons, "; ");
}

}  // namespace

Pairing pair_of(const Run& before, const Run& after) {
    Pairing pairing = {differences_between(before.settings, after.settings), {}, {}};
    add_what_ran(pairing.differences, before, after);
    pairing.refusal = refusal_of(before, after);
    if (!pairing.refusal.empty()) {
        return pairing;
    }
    pairing.rows = Rows(before, after).times();
    pairing.whole.before = end_to_end_of(before);
    pairing.whole.after = end_to_end_of(after);
    pairing.whole.ratio = ratio_of(pairing.whole.after, pairing.whole.before);
    return pairing;
}

}  // namespace strata
