// SPDX-License-Identifier: MIT
#include "store/save.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"
#include "record/identity.h"
#include "record/options.h"
#include "record/step_times.h"
#include "store/annotations.h"
#include "store/disturbance.h"
#include "store/infeed.h"
#include "store/profile.h"
#include "store/run_writer.h"
#include "store/stored_values.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>
#include <utility>

namespace strata {

namespace {

std::optional<std::int64_t> optional_count(const std::optional<Bytes>& bytes) {
    return bytes ? std::optional(whole_count(bytes->value)) : std::nullopt;
}

std::optional<std::int64_t> device_id(const Database& database,
                                      const std::optional<Device>& device) {
    if (!device) {
        return {};
    }
    const std::string toml = to_toml(*device);
    Statement(database, "INSERT INTO device (toml) VALUES (?) ON CONFLICT DO NOTHING").run(toml);
    Statement find(database, "SELECT id FROM device WHERE toml = ?");
    find.start(toml).next();
    return find.integer(0);
}

// Stores what is known when a run begins. An id of 0 lets SQLite choose one.
void insert_run(const Database& database, Run& run) {
    const Settings& s = run.settings;
    const auto id = run.id == 0 ? std::nullopt : std::optional(run.id);
    Statement(database,
              "INSERT INTO run (id, created, origin, state, backend, network, batch, mode, dtype, "
              "threads, algorithm, policy, key, predicted_memory) "
              "VALUES (?, ?, ?, 'partial', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .run(id, run.created, name_of(run.origin), s.backend, s.network, s.batch,
             text_of(s, "mode"), text_of(s, "dtype"), s.threads(), text_of(s, "algorithm"),
             policy_text(s), key_of(s), whole_count(run.predicted_memory.value));
    run.id = database.last_inserted_id();
}

void insert_settings(const Database& database, const Run& run) {
    Statement insert(database, "INSERT INTO setting (run, name, value) VALUES (?, ?, ?)");
    for (const auto& [name, value] : further_settings(run.settings)) {
        insert.run(run.id, name, value);
    }
}

void insert_steps(const Database& database, const Run& run) {
    TextTable texts(database);
    Statement insert(database,
                     "INSERT INTO step (run, position, layer, operation, pass, kind, "
                     "implementation, algorithm, layout, problem, workspace, flops, bytes_read, "
                     "bytes_written, status, samples) "
                     "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'planned', 0)");
    std::int64_t position = 0;
    for (const StepResult& step : run.steps) {
        insert.run(run.id, position++, texts.id_of(step.layer), texts.id_of(step.operation),
                   name_of(step.pass), name_of(step.kind), texts.id_of(step.implementation),
                   texts.id_of(step.algorithm), texts.id_of(step.layout), texts.id_of(step.problem),
                   whole_count(step.workspace.value), whole_count(step.flops.value),
                   whole_count(step.read.value), whole_count(step.written.value));
    }
}

void insert_aliases(const Database& database, const Run& run) {
    TextTable texts(database);
    Statement insert(database,
                     "INSERT INTO layer_alias (run, layer, alias) VALUES (?, ?, ?) "
                     "ON CONFLICT DO NOTHING");
    for (const StepResult& step : run.steps) {
        if (!step.alias.empty()) {
            insert.run(run.id, texts.id_of(step.layer), texts.id_of(step.alias));
        }
    }
}

// Stores what is known before the first sample.
void insert_verification(const Database& database, const Run& run) {
    if (!run.verified) {
        return;
    }
    Statement(database,
              "INSERT INTO verification (run, compared, without_reference) VALUES (?, ?, ?)")
        .run(run.id, run.verified->compared, run.verified->without_reference);
    Statement insert(database,
                     "INSERT INTO step_check (run, position, error, tolerance) "
                     "VALUES (?, ?, ?, ?)");
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        if (const auto& checked = run.steps[i].verified) {
            insert.run(run.id, i, checked->error, checked->tolerance);
        }
    }
}

void update_run(const Database& database, const Run& run, RunState state) {
    Statement update(
        database,
        "UPDATE run SET state = ?, predicted_memory = ?, measured_memory = ?, "
        "empty_step_ns = ?, device = ? WHERE id = ? AND state = 'partial' RETURNING id");
    const auto device = device_id(database, run.device);
    update.start(name_of(state), whole_count(run.predicted_memory.value),
                 optional_count(run.measured_memory),
                 run.empty_step ? std::optional(nanoseconds(*run.empty_step)) : std::nullopt,
                 device, run.id);
    if (!update.next()) {
        throw Error(
            fmt::format("run {} of database {} was completed or removed by another process and "
                        "cannot be continued; repeat the command to measure again",
                        run.id, printable(database.file().string(), 1000)));
    }
}

void update_steps(const Database& database, const Run& run) {
    Statement update(
        database,
        "UPDATE step SET status = ?, reason = ?, samples = ?, median_ns = ?, low_ns = ?, "
        "high_ns = ?, sample_values = ? WHERE run = ? AND position = ?");
    const auto times = step_times(run);
    for (std::size_t i = 0; i < times.size(); ++i) {
        const StepResult& step = run.steps[i];
        const StoredSeries series =
            times[i] ? stored(std::get<Samples>(step.time), *times[i]) : StoredSeries{};
        const StoredStatus status = stored_status_of(step.time);
        update.run(status.word, status.reason, series.samples, series.median, series.low,
                   series.high, series.values, run.id, i);
    }
}

void replace_whole(const Database& database, const Run& run) {
    const std::array<std::pair<const char*, const Samples*>, 3> all = {
        {{"end_to_end", &run.whole.end_to_end},
         {"instrumented", &run.whole.instrumented},
         {"calibration", &run.whole.calibration}}};
    Statement replace(database,
                      "INSERT OR REPLACE INTO whole (run, series, samples, median_ns, low_ns, "
                      "high_ns, sample_values) VALUES (?, ?, ?, ?, ?, ?, ?)");
    for (const auto& [name, samples] : all) {
        const StoredSeries series = stored(*samples);
        replace.run(run.id, name, series.samples, series.median, series.low, series.high,
                    series.values);
    }
}

void replace_flags(const Database& database, const Run& run) {
    Statement(database, "DELETE FROM flag WHERE run = ?").run(run.id);
    Statement insert(database,
                     "INSERT INTO flag (run, position, kind, sentence) VALUES (?, ?, ?, ?)");
    std::int64_t position = 0;
    for (const Flag& flag : run.flags) {
        insert.run(run.id, position++, kind_text(flag), flag.sentence);
    }
}

void replace_provenance(const Database& database, const Run& run) {
    TextTable texts(database);
    Statement(database, "DELETE FROM provenance WHERE run = ?").run(run.id);
    Statement insert(database, "INSERT INTO provenance (run, name, value) VALUES (?, ?, ?)");
    for (const auto& [name, value] : run.provenance) {
        insert.run(run.id, texts.id_of(name), texts.id_of(value));
    }
}

// Stores everything that measuring adds to a run besides its steps' samples.
void store_about(const Database& database, const Run& run, RunState state) {
    update_run(database, run, state);
    replace_whole(database, run);
    store_disturbance(database, run);
    replace_flags(database, run);
    replace_provenance(database, run);
    store_infeed(database, run);
    store_profile(database, run);
}

// Stores all samples of the steps, replacing those that checkpoints added.
void store_steps(const Database& database, const Run& run) {
    update_steps(database, run);
    Statement(database, "DELETE FROM step_samples WHERE run = ?").run(run.id);
}

void store_results(const Database& database, const Run& run, RunState state) {
    store_about(database, run, state);
    store_steps(database, run);
}

std::span<const Seconds> samples_of(const StepResult& step) {
    const auto* samples = std::get_if<Samples>(&step.time);
    return samples == nullptr ? std::span<const Seconds>() : samples->values;
}

// Stores each step's samples beyond those already stored.
void append_samples(const Database& database, const Run& run, std::int64_t checkpoint,
                    std::span<const std::size_t> stored) {
    Statement insert(database,
                     "INSERT INTO step_samples (run, checkpoint, position, sample_values) "
                     "VALUES (?, ?, ?, ?)");
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        if (const auto fresh = samples_of(run.steps[i]).subspan(stored[i]); !fresh.empty()) {
            insert.run(run.id, checkpoint, i, pack(fresh));
        }
    }
}

// The plan position of a continued run.
std::optional<PlanPosition> plan_position_of(const Database& database, std::int64_t run) {
    Statement find(database, "SELECT plan, place FROM run WHERE id = ? AND plan IS NOT NULL");
    if (!find.start(run).next()) {
        return {};
    }
    return PlanPosition{find.integer(0), find.integer(1)};
}

// A partial run that held the position and is not continued leaves the plan but stays
// stored.
void claim_plan_position(const Database& database, std::int64_t run, const PlanPosition& position) {
    Statement(database, "UPDATE run SET plan = NULL, place = NULL WHERE plan = ? AND place = ?")
        .run(position.plan, position.index);
    Statement(database, "UPDATE run SET plan = ?, place = ? WHERE id = ?")
        .run(position.plan, position.index, run);
}

void close_finished_plan(const Database& database, std::int64_t run) {
    Statement(database,
              "UPDATE plan SET state = 'done' WHERE id = (SELECT plan FROM run WHERE id = ?) AND "
              "count = (SELECT count(*) FROM run WHERE plan = plan.id AND state = 'complete')")
        .run(run);
}

}  // namespace

void begin_run(const Database& database, Run& run, std::optional<PlanPosition> position) {
    Transaction transaction(database);
    check(!run.created.empty(), "a run to be stored has its creation time");
    Annotations annotations;  // given by users while the run was interrupted
    if (run.id != 0) {
        position = position ? position : plan_position_of(database, run.id);
        annotations = annotations_of(database, run.id);
        Statement(database, "DELETE FROM run WHERE id = ? AND state = 'partial'").run(run.id);
    }
    insert_run(database, run);
    restore_annotations(database, run.id, annotations);
    insert_settings(database, run);
    insert_steps(database, run);
    insert_aliases(database, run);
    insert_verification(database, run);
    if (position) {
        claim_plan_position(database, run.id, *position);
    }
    store_results(database, run, RunState::partial);
    transaction.commit();
}

Checkpoints::Checkpoints(const Database& database, const Run& begun) : database_(&database) {
    remember(begun);
}

// Measuring does not wait for a lock: the next checkpoint stores what this one could not.
void Checkpoints::store(const Run& run) {
    const LockWait::Skipped at_once(database_->lock_wait());
    try {
        Transaction transaction(*database_);
        store_about(*database_, run, RunState::partial);
        if (only_grew(run)) {
            append_samples(*database_, run, ++number_, stored_);
        } else {
            store_steps(*database_, run);
        }
        transaction.commit();
    } catch (const DatabaseLocked&) {
        return;
    }
    remember(run);
}

// Thinned samples (measure/sampler.h) differ from those stored.
bool Checkpoints::only_grew(const Run& run) const {
    const auto& now = run.whole.instrumented.values;
    const auto has_grown = [](const StepResult& step, std::size_t stored) {
        return samples_of(step).size() >= stored;
    };
    return now.size() >= instrumented_.size() &&
           std::equal(instrumented_.begin(), instrumented_.end(), now.begin()) &&
           std::equal(run.steps.begin(), run.steps.end(), stored_.begin(), stored_.end(),
                      has_grown);
}

void Checkpoints::remember(const Run& run) {
    instrumented_ = run.whole.instrumented.values;
    stored_.clear();
    for (const StepResult& step : run.steps) {
        stored_.push_back(samples_of(step).size());
    }
}

void finish_run(const Database& database, const Run& run) {
    Transaction transaction(database);
    store_results(database, run, run.state);
    close_finished_plan(database, run.id);
    transaction.commit();
}

std::filesystem::path keep_beside(const Database& database, Run run) {
    std::filesystem::path file = database.file();
    file += fmt::format(".kept-{}", ::getpid());
    save_run(Database::open(file), run);
    return file;
}

void save_run(const Database& database, Run& run) {
    Transaction transaction(database);
    RunWriter(database).add(run);
    transaction.commit();
}

Stored save_imported(const Database& database, Run& run) {
    return save_imported(database, std::span(&run, 1)) == 1 ? Stored::anew : Stored::before;
}

std::size_t save_imported(const Database& database, std::span<Run> runs) {
    Transaction transaction(database);
    // (Read once: the table has no index of keys.)
    std::unordered_map<std::string, std::int64_t> known;
    Statement imported(database, "SELECT key, id FROM run WHERE origin = 'imported'");
    for (imported.start(); imported.next();) {
        known.emplace(imported.text(0), imported.integer(1));
    }
    std::size_t anew = 0;
    RunWriter writer(database);
    for (Run& run : runs) {
        const std::string key = key_of(run.settings);
        if (const auto found = known.find(key); found != known.end()) {
            run.id = found->second;
            continue;
        }
        writer.add(run);
        known.emplace(key, run.id);
        ++anew;
    }
    transaction.commit();
    return anew;
}

}  // namespace strata
