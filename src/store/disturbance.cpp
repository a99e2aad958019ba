// SPDX-License-Identifier: MIT
#include "store/disturbance.h"

#include "base/error.h"
#include "record/step_times.h"
#include "store/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace strata {

namespace {

constexpr std::string_view of_a_step = "step";
constexpr std::array<std::pair<std::string_view, Samples WholeResult::*>, 2> wholes = {
    {{"end_to_end", &WholeResult::end_to_end}, {"instrumented", &WholeResult::instrumented}}};

// One byte per sample; empty if no sample was delayed.
std::vector<std::byte> marks_of(const Samples& samples) {
    std::vector<std::byte> marks;
    if (std::ranges::find(samples.disturbed, true) != samples.disturbed.end()) {
        for (const bool disturbed : samples.disturbed) {
            marks.push_back(disturbed ? std::byte{1} : std::byte{0});
        }
    }
    return marks;
}

// Stores nothing if disturbance was not observed.
void add_disturbance(TableWriter& to, const OfDisturbedSeries& key, const Samples& samples,
                     const std::optional<Estimate>& time) {
    if (time && !samples.disturbed.empty()) {
        to.add<disturbance_table>(key, StoredDisturbance{static_cast<std::int64_t>(time->disturbed),
                                                         time->use, marks_of(samples)});
    }
}

bool is_watched(const Run& run) {
    const auto marks = [](const StepResult& step) {
        const auto* samples = std::get_if<Samples>(&step.time);
        return samples != nullptr && !samples->disturbed.empty();
    };
    return !run.whole.end_to_end.disturbed.empty() || std::ranges::any_of(run.steps, marks);
}

Samples* samples_named(Run& run, const std::string& series, std::int64_t position) {
    if (series == of_a_step) {
        return std::get_if<Samples>(&step_at(run, position).time);
    }
    const auto whole = std::ranges::find(wholes, series, [](const auto& one) { return one.first; });
    return whole == wholes.end() ? nullptr : &(run.whole.*whole->second);
}

}  // namespace

void store_disturbance(TableWriter& to, const Run& run) {
    if (!is_watched(run)) {
        return;
    }
    const auto times = step_times(run);
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (const auto* samples = std::get_if<Samples>(&run.steps[i].time)) {
            add_disturbance(to, {run.id, std::string(of_a_step), static_cast<std::int64_t>(i)},
                            *samples, times[i]);
        }
    }
    for (const auto& [name, series] : wholes) {
        const Samples& samples = run.whole.*series;
        add_disturbance(to, {run.id, std::string(name), 0}, samples,
                        samples.values.empty() ? std::nullopt : std::optional(estimate(samples)));
    }
}

void load_disturbance(const Database& database, Run& run) {
    for (const auto& [key, row] : rows_of_run<disturbance_table>(database, run.id)) {
        Samples* samples = samples_named(run, key.series, key.position);
        if (samples == nullptr ||
            (!row.marks.empty() && row.marks.size() != samples->values.size())) {
            throw Error(fmt::format(
                "run {} marks samples as disturbed that it does not have: the database is damaged",
                run.id));
        }
        samples->disturbed.assign(samples->values.size(), false);
        for (std::size_t i = 0; i < row.marks.size(); ++i) {
            samples->disturbed[i] = row.marks[i] != std::byte{0};
        }
    }
}

}  // namespace strata
