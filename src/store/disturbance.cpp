// SPDX-License-Identifier: MIT
#include "store/disturbance.h"

#include "base/error.h"
#include "record/step_times.h"
#include "store/statement.h"
#include "store/stored_values.h"

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

class Writer {
public:
    Writer(const Database& database, std::int64_t run)
        : run_(run),
          insert_(database,
                  "INSERT INTO disturbance (run, series, position, disturbed, used, marks) "
                  "VALUES (?, ?, ?, ?, ?, ?)") {}

    // Nothing if disturbance was not observed.
    void add(std::string_view series, std::size_t position, const Samples& samples,
             const std::optional<Estimate>& time) {
        if (time && !samples.disturbed.empty()) {
            insert_.run(run_, series, position, time->disturbed, name_of(time->use),
                        marks_of(samples));
        }
    }

private:
    std::int64_t run_;
    Statement insert_;
};

Samples* samples_named(Run& run, const std::string& series, std::int64_t position) {
    if (series == of_a_step) {
        return std::get_if<Samples>(&step_at(run, position).time);
    }
    const auto whole = std::ranges::find(wholes, series, [](const auto& one) { return one.first; });
    return whole == wholes.end() ? nullptr : &(run.whole.*whole->second);
}

}  // namespace

void store_disturbance(const Database& database, const Run& run) {
    Statement(database, "DELETE FROM disturbance WHERE run = ?").run(run.id);
    Writer writer(database, run.id);
    const auto times = step_times(run);
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (const auto* samples = std::get_if<Samples>(&run.steps[i].time)) {
            writer.add(of_a_step, i, *samples, times[i]);
        }
    }
    for (const auto& [name, series] : wholes) {
        const Samples& samples = run.whole.*series;
        writer.add(name, 0, samples,
                   samples.values.empty() ? std::nullopt : std::optional(estimate(samples)));
    }
}

void load_disturbance(const Database& database, Run& run) {
    Statement row(database, "SELECT series, position, marks FROM disturbance WHERE run = ?");
    for (row.start(run.id); row.next();) {
        Samples* samples = samples_named(run, row.text(0), row.integer(1));
        const auto marks = row.bytes(2);
        if (samples == nullptr || (!marks.empty() && marks.size() != samples->values.size())) {
            throw Error(fmt::format(
                "run {} marks samples as disturbed that it does not have: the database is damaged",
                run.id));
        }
        samples->disturbed.assign(samples->values.size(), false);
        for (std::size_t i = 0; i < marks.size(); ++i) {
            samples->disturbed[i] = marks[i] != std::byte{0};
        }
    }
}

}  // namespace strata
