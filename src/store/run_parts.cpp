// SPDX-License-Identifier: MIT
#include "store/run_parts.h"

#include "base/error.h"
#include "record/step_times.h"
#include "store/annotations.h"
#include "store/disturbance.h"
#include "store/infeed.h"
#include "store/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace strata {

namespace {

// By step.
std::vector<StoredStepTime> stored_times(const Run& run) {
    const auto times = step_times(run);
    std::vector<StoredStepTime> all;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const Measurement& measured = run.steps[i].time;
        all.push_back(
            {.status = stored_status_of(measured),
             .series = times[i] ? stored(std::get<Samples>(measured), *times[i]) : StoredSeries{}});
    }
    return all;
}

OfStep step_key(const Run& run, std::size_t position) {
    return {.run = run.id, .position = static_cast<std::int64_t>(position)};
}

void store_steps(TableWriter& to, const Run& run) {
    const auto times = stored_times(run);
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        to.add<step_table>(step_key(run, i), run.steps[i], times[i]);
    }
}

void load_steps(const Database& from, Run& run) {
    for (auto& [key, step, time] : rows_of_run<step_table>(from, run.id)) {
        step.time =
            measurement_of(time.status, time.series.values.value_or(std::vector<std::byte>()));
        run.steps.push_back(std::move(step));
    }
    // Checkpoints added samples to an unfinished run.
    for (auto& [key, added] : rows_of_run<step_samples_table>(from, run.id)) {
        auto* samples = std::get_if<Samples>(&step_at(run, key.position).time);
        if (samples == nullptr) {
            throw Error(
                fmt::format("a step of run {} has samples although it did not run: the "
                            "database is damaged",
                            run.id));
        }
        samples->values.insert(samples->values.end(), added.values.begin(), added.values.end());
    }
}

void store_settings(TableWriter& to, const Run& run) {
    for (const auto& [name, value] : further_settings(run.settings)) {
        to.add<setting_table>(OfRun{run.id}, NameAndValue{name, value});
    }
}

void load_settings(const Database& from, Run& run) {
    for (const auto& [key, setting] : rows_of_run<setting_table>(from, run.id)) {
        set_further(run.settings, setting.name, setting.value);
    }
}

void store_provenance(TableWriter& to, const Run& run) {
    for (const auto& [name, value] : run.provenance) {
        to.add<provenance_table>(OfRun{run.id}, NameAndValue{name, value});
    }
}

void load_provenance(const Database& from, Run& run) {
    for (auto& [key, entry] : rows_of_run<provenance_table>(from, run.id)) {
        run.provenance.emplace(std::move(entry.name), std::move(entry.value));
    }
}

constexpr std::array<std::pair<const char*, Samples WholeResult::*>, 3> whole_series = {
    {{"end_to_end", &WholeResult::end_to_end},
     {"instrumented", &WholeResult::instrumented},
     {"calibration", &WholeResult::calibration}}};

void store_whole(TableWriter& to, const Run& run) {
    for (const auto& [name, samples] : whole_series) {
        if (!(run.whole.*samples).values.empty()) {
            to.add<whole_table>(OfSeries{run.id, name}, stored(run.whole.*samples));
        }
    }
}

void load_whole(const Database& from, Run& run) {
    for (const auto& [key, series] : rows_of_run<whole_table>(from, run.id)) {
        const auto named = std::ranges::find(
            whole_series, key.series, &std::pair<const char*, Samples WholeResult::*>::first);
        if (named != whole_series.end() && series.values) {
            run.whole.*(named->second) = {unpack(*series.values)};
        }
    }
}

void store_work(TableWriter& to, const Run& run) {
    if (run.work) {
        to.add<run_work_table>(OfRun{run.id}, *run.work);
    }
}

void load_work(const Database& from, Run& run) {
    if (const auto row = row_of<run_work_table>(from, "WHERE run = ?", run.id)) {
        run.work = std::get<RunWork>(*row);
    }
}

void store_flags(TableWriter& to, const Run& run) {
    for (std::size_t i = 0; i < run.flags.size(); ++i) {
        to.add<flag_table>(step_key(run, i),
                           StoredFlag{kind_text(run.flags[i]), run.flags[i].sentence});
    }
}

void load_flags(const Database& from, Run& run) {
    for (const auto& [key, flag] : rows_of_run<flag_table>(from, run.id)) {
        run.flags.push_back(doubt_named(flag.kind, flag.sentence));
    }
}

void store_aliases(TableWriter& to, const Run& run) {
    for (const StepResult& step : run.steps) {
        if (!step.alias.empty()) {
            to.add<layer_alias_table>(OfRun{run.id}, LayerAlias{step.layer, step.alias});
        }
    }
}

void load_aliases(const Database& from, Run& run) {
    std::map<std::string, std::string> aliases;
    for (auto& [key, alias] : rows_of_run<layer_alias_table>(from, run.id)) {
        aliases.emplace(std::move(alias.layer), std::move(alias.alias));
    }
    for (StepResult& step : run.steps) {
        const auto found = aliases.find(step.layer);
        step.alias = found == aliases.end() ? "" : found->second;
    }
}

void store_occurrences(TableWriter& to, const Run& run) {
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        if (const auto& seen_in = run.steps[i].seen_in) {
            to.add<step_occurrence_table>(step_key(run, i), *seen_in);
        }
    }
}

void load_occurrences(const Database& from, Run& run) {
    for (const auto& [key, seen_in] : rows_of_run<step_occurrence_table>(from, run.id)) {
        step_at(run, key.position).seen_in = seen_in;
    }
}

void store_verification(TableWriter& to, const Run& run) {
    if (!run.verified) {
        return;
    }
    to.add<verification_table>(OfRun{run.id}, *run.verified);
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        if (const auto& verified = run.steps[i].verified) {
            to.add<step_check_table>(step_key(run, i), *verified);
        }
    }
}

void load_verification(const Database& from, Run& run) {
    const auto row = row_of<verification_table>(from, "WHERE run = ?", run.id);
    if (!row) {
        return;
    }
    run.verified = std::get<VerifiedSteps>(*row);
    for (const auto& [key, error] : rows_of_run<step_check_table>(from, run.id)) {
        step_at(run, key.position).verified = error;
    }
}

// (Users annotate stored runs only.)
void keep_annotations(TableWriter&, const Run&) {}

void load_annotations(const Database& from, Run& run) {
    Annotations annotations = annotations_of(from, run.id);
    run.tags = std::move(annotations.tags);
    run.note = std::move(annotations.note);
}

template <const auto& table>
void remove_from(TableWriter& from, const Run& run) {
    from.remove<table>(run.id);
}

// Neither traces nor counters change once they are known.
void keep_profile(TableWriter&, const Run&) {}

}  // namespace

std::span<const RunPart> run_parts() {
    static constexpr std::array parts = {
        RunPart{store_steps, load_steps},
        RunPart{store_settings, load_settings},
        RunPart{store_aliases, load_aliases},
        RunPart{store_occurrences, load_occurrences},
        RunPart{store_verification, load_verification},
        RunPart{store_work, load_work},
        RunPart{keep_annotations, load_annotations},
        RunPart{store_provenance, load_provenance, remove_from<provenance_table>},
        RunPart{store_flags, load_flags, remove_from<flag_table>},
        RunPart{store_whole, load_whole, remove_from<whole_table>},
        RunPart{store_disturbance, load_disturbance, remove_from<disturbance_table>},
        RunPart{store_infeed, load_infeed, remove_from<infeed_table>},
        RunPart{store_profile, load_profile, keep_profile}};
    return parts;
}

void store_parts(TableWriter& to, const Run& run) {
    for (const RunPart& part : run_parts()) {
        part.store(to, run);
    }
}

void renew_parts(TableWriter& to, const Run& run) {
    for (const RunPart& part : run_parts()) {
        if (part.remove != nullptr) {
            part.remove(to, run);
            part.store(to, run);
        }
    }
}

void load_parts(const Database& from, Run& run) {
    for (const RunPart& part : run_parts()) {
        part.load(from, run);
    }
}

void update_steps(TableWriter& to, const Run& run) {
    const auto times = stored_times(run);
    for (std::size_t i = 0; i < times.size(); ++i) {
        to.update<step_table>(step_key(run, i), times[i]);
    }
}

}  // namespace strata
