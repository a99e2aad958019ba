// SPDX-License-Identifier: MIT
#include "store/save.h"

#include "base/error.h"
#include "base/text.h"
#include "record/identity.h"
#include "store/annotations.h"
#include "store/run_parts.h"
#include "store/run_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

namespace strata {

namespace {

void update_outcome(RunWriter& writer, const Run& run, RunState state) {
    Statement find(writer.tables().database(),
                   "SELECT 1 FROM run WHERE id = ? AND state = 'partial'");
    if (!find.start(run.id).next()) {
        throw Error(
            fmt::format("run {} of database {} was completed or removed by another process and "
                        "cannot be continued; repeat the command to measure again",
                        run.id, printable(writer.tables().database().file().string(), 1000)));
    }
    writer.tables().update<run_table>(RowId{run.id}, writer.outcome_of(run, state));
}

// Stores everything that measuring adds to a run besides its steps' samples.
void store_about(RunWriter& writer, const Run& run, RunState state) {
    update_outcome(writer, run, state);
    renew_parts(writer.tables(), run);
}

// Stores all samples of the steps, replacing those that checkpoints added.
void store_samples(TableWriter& to, const Run& run) {
    update_steps(to, run);
    to.remove<step_samples_table>(run.id);
}

std::span<const Seconds> samples_of(const StepResult& step) {
    const auto* samples = std::get_if<Samples>(&step.time);
    return samples == nullptr ? std::span<const Seconds>() : samples->values;
}

// Stores each step's samples beyond those already stored.
void append_samples(TableWriter& to, const Run& run, std::int64_t checkpoint,
                    std::span<const std::size_t> stored) {
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        if (const auto fresh = samples_of(run.steps[i]).subspan(stored[i]); !fresh.empty()) {
            to.add<step_samples_table>(
                OfCheckpoint{run.id, checkpoint, static_cast<std::int64_t>(i)},
                NewSamples{{fresh.begin(), fresh.end()}});
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

// A partial run that held the position and is not continued leaves the plan but stays stored.
RunPlace claimed_place(const Database& database, const std::optional<PlanPosition>& position) {
    if (!position) {
        return {};
    }
    Statement(database, "UPDATE run SET plan = NULL, place = NULL WHERE plan = ? AND place = ?")
        .run(position->plan, position->index);
    return {.plan = position->plan, .place = position->index};
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
    Annotations annotations;  // given by users while the run was interrupted
    RowId key;
    if (run.id != 0) {
        position = position ? position : plan_position_of(database, run.id);
        annotations = annotations_of(database, run.id);
        Statement(database, "DELETE FROM run WHERE id = ? AND state = 'partial'").run(run.id);
        key.id = run.id;
    }
    RunWriter(database).add(run, RunState::partial, key, claimed_place(database, position));
    restore_annotations(database, run.id, annotations);
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
        RunWriter writer(*database_);
        store_about(writer, run, RunState::partial);
        if (only_grew(run)) {
            append_samples(writer.tables(), run, ++number_, stored_);
        } else {
            store_samples(writer.tables(), run);
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
    RunWriter writer(database);
    store_about(writer, run, run.state);
    store_samples(writer.tables(), run);
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
