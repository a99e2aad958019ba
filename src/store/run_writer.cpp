// SPDX-License-Identifier: MIT
#include "store/run_writer.h"

#include "base/error.h"
#include "record/identity.h"
#include "record/options.h"
#include "record/step_times.h"
#include "store/disturbance.h"
#include "store/infeed.h"
#include "store/profile.h"
#include "store/stored_values.h"

#include <algorithm>

namespace strata {

namespace {

bool has_profile(const Run& run) {
    return run.trace || std::ranges::any_of(run.steps, [](const StepResult& step) {
               return !step.metrics.empty();
           });
}

bool is_watched(const Run& run) {
    const auto marks = [](const StepResult& step) {
        const auto* samples = std::get_if<Samples>(&step.time);
        return samples != nullptr && !samples->disturbed.empty();
    };
    return !run.whole.end_to_end.disturbed.empty() || std::ranges::any_of(run.steps, marks);
}

}  // namespace

UncheckedReferences::UncheckedReferences(const Database& database) : database_(database) {
    database_.execute("PRAGMA foreign_keys = OFF");
}

UncheckedReferences::~UncheckedReferences() {
    try {
        database_.execute("PRAGMA foreign_keys = ON");
    } catch (const Error&) {
        // This fails only if a transaction is still open, and then nothing more is written.
    }
}

RunWriter::RunWriter(const Database& database)
    : database_(&database),
      texts_(database),
      run_(database,
           "INSERT INTO run (created, origin, state, backend, network, batch, mode, dtype, "
           "threads, algorithm, policy, key, predicted_memory, measured_memory, empty_step_ns, "
           "device) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      step_(database,
            "INSERT INTO step (run, position, layer, operation, pass, kind, implementation, "
            "algorithm, layout, problem, workspace, flops, bytes_read, bytes_written, status, "
            "samples, median_ns, low_ns, high_ns, sample_values, reason) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      whole_(database,
             "INSERT INTO whole (run, series, samples, median_ns, low_ns, high_ns, sample_values) "
             "VALUES (?, ?, ?, ?, ?, ?, ?)"),
      work_(database,
            "INSERT INTO run_work (run, flops, bytes_read, bytes_written) VALUES (?, ?, ?, ?)"),
      setting_(database, "INSERT INTO setting (run, name, value) VALUES (?, ?, ?)"),
      provenance_(database, "INSERT INTO provenance (run, name, value) VALUES (?, ?, ?)"),
      flag_(database, "INSERT INTO flag (run, position, kind, sentence) VALUES (?, ?, ?, ?)"),
      alias_(database,
             "INSERT INTO layer_alias (run, layer, alias) VALUES (?, ?, ?) "
             "ON CONFLICT DO NOTHING"),
      occurrence_(database,
                  "INSERT INTO step_occurrence (run, position, seen_in, iterations) "
                  "VALUES (?, ?, ?, ?)") {}

void RunWriter::add(Run& run) {
    check(!run.created.empty(), "a run to be stored has its creation time");
    add_run(run);
    const auto times = step_times(run);
    for (std::size_t i = 0; i < times.size(); ++i) {
        add_step(run.id, i, run.steps[i], times[i]);
    }
    add_whole(run.id, "end_to_end", run.whole.end_to_end);
    add_whole(run.id, "instrumented", run.whole.instrumented);
    add_whole(run.id, "calibration", run.whole.calibration);
    if (run.work) {
        add_work(run.id, *run.work);
    }
    add_about(run);
    if (is_watched(run)) {
        store_disturbance(*database_, run);
    }
    if (run.infeed) {
        store_infeed(*database_, run);
    }
    if (has_profile(run)) {
        store_profile(*database_, run);
    }
}

RunWriter::Series RunWriter::series_of(Run prototype) {
    const Settings& s = prototype.settings;
    Series series;
    series.mode = text_of(s, "mode");
    series.dtype = text_of(s, "dtype");
    series.algorithm = text_of(s, "algorithm");
    series.policy = policy_text(s);
    series.key_end = key_text_after_batch(s);
    series.device = device_id(prototype);
    series.settings = further_settings(s);
    for (const auto& [name, value] : prototype.provenance) {
        series.provenance.emplace_back(texts_.id_of(name), texts_.id_of(value));
    }
    series.prototype = std::move(prototype);
    return series;
}

std::int64_t RunWriter::add(Series& series, const SeriesRun& run) {
    const Run& shared = series.prototype;
    run_.run(shared.created, name_of(shared.origin), name_of(shared.state), shared.settings.backend,
             run.network, run.batch, series.mode, series.dtype, shared.settings.threads(),
             series.algorithm, series.policy,
             key_of(key_text(shared.settings.backend, run.network, run.batch) + series.key_end),
             whole_count(run.memory.value), std::nullopt, std::nullopt, series.device);
    const std::int64_t id = database_->last_inserted_id();
    for (const auto& [name, value] : series.settings) {
        setting_.run(id, name, value);
    }
    add_whole(id, "end_to_end", Samples{{run.time}});
    add_work(id, run.work);
    for (const auto& [name, value] : series.provenance) {
        provenance_.run(id, name, value);
    }
    return id;
}

void RunWriter::add_work(std::int64_t run, const RunWork& work) {
    work_.run(run, whole_count(work.flops.value), whole_count(work.read.value),
              whole_count(work.written.value));
}

std::optional<std::int64_t> RunWriter::device_id(const Run& run) {
    if (!run.device) {
        return {};
    }
    const std::string toml = to_toml(*run.device);
    const auto [known, is_new] = devices_.try_emplace(toml);
    if (is_new) {
        Statement(*database_, "INSERT INTO device (toml) VALUES (?) ON CONFLICT DO NOTHING")
            .run(toml);
        Statement find(*database_, "SELECT id FROM device WHERE toml = ?");
        find.start(toml).next();
        known->second = find.integer(0);
    }
    return known->second;
}

void RunWriter::add_run(Run& run) {
    const Settings& s = run.settings;
    const auto count = [](const std::optional<Bytes>& bytes) {
        return bytes ? std::optional(whole_count(bytes->value)) : std::nullopt;
    };
    run_.run(run.created, name_of(run.origin), name_of(run.state), s.backend, s.network, s.batch,
             text_of(s, "mode"), text_of(s, "dtype"), s.threads(), text_of(s, "algorithm"),
             policy_text(s), key_of(s), whole_count(run.predicted_memory.value),
             count(run.measured_memory),
             run.empty_step ? std::optional(nanoseconds(*run.empty_step)) : std::nullopt,
             device_id(run));
    run.id = database_->last_inserted_id();
    for (const auto& [name, value] : further_settings(s)) {
        setting_.run(run.id, name, value);
    }
}

void RunWriter::add_step(std::int64_t run, std::size_t position, const StepResult& step,
                         const std::optional<Estimate>& time) {
    const StoredSeries series = time ? stored(std::get<Samples>(step.time), *time) : StoredSeries{};
    const StoredStatus status = stored_status_of(step.time);
    const std::int64_t layer = texts_.id_of(step.layer);
    step_.run(run, position, layer, texts_.id_of(step.operation), name_of(step.pass),
              name_of(step.kind), texts_.id_of(step.implementation), texts_.id_of(step.algorithm),
              texts_.id_of(step.layout), texts_.id_of(step.problem),
              whole_count(step.workspace.value), whole_count(step.flops.value),
              whole_count(step.read.value), whole_count(step.written.value), status.word,
              series.samples, series.median, series.low, series.high, series.values, status.reason);
    if (step.seen_in) {
        occurrence_.run(run, position, step.seen_in->iterations, step.seen_in->of);
    }
    if (!step.alias.empty()) {
        alias_.run(run, layer, texts_.id_of(step.alias));
    }
}

void RunWriter::add_whole(std::int64_t run, const char* name, const Samples& samples) {
    if (samples.values.empty()) {
        return;
    }
    const StoredSeries series = stored(samples);
    whole_.run(run, name, series.samples, series.median, series.low, series.high, series.values);
}

void RunWriter::add_about(const Run& run) {
    for (const auto& [name, value] : run.provenance) {
        provenance_.run(run.id, texts_.id_of(name), texts_.id_of(value));
    }
    std::int64_t position = 0;
    for (const Flag& flag : run.flags) {
        flag_.run(run.id, position++, kind_text(flag), flag.sentence);
    }
    if (!run.verified) {
        return;
    }
    Statement(*database_,
              "INSERT INTO verification (run, compared, without_reference) VALUES (?, ?, ?)")
        .run(run.id, run.verified->compared, run.verified->without_reference);
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        if (const auto& checked = run.steps[i].verified) {
            Statement(*database_,
                      "INSERT INTO step_check (run, position, error, tolerance) "
                      "VALUES (?, ?, ?, ?)")
                .run(run.id, i, checked->error, checked->tolerance);
        }
    }
}

}  // namespace strata
