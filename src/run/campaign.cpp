// SPDX-License-Identifier: MIT
#include "run/campaign.h"

#include "base/text.h"
#include "measure/diagnose.h"
#include "measure/environment.h"
#include "record/completeness.h"
#include "run/experiment.h"
#include "run/memory.h"
#include "run/overrides.h"
#include "run/profile.h"
#include "run/refusal.h"
#include "store/plan.h"
#include "store/save.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

namespace strata {

namespace {

// The disturbances known before the run began. The host's threads do not overload a device of the
// backend's own.
void add_doubts_about(const Job& job, const MeasuringLock& lock, const BackendInfo& backend,
                      Run& run) {
    const Circumstances circumstances{
        .threads = backend.device_memory ? 1 : thread_count(job.execution),
        .processors = thread_count({}),
        .is_shared = lock.is_shared};
    for (Doubt& doubt : diagnose(circumstances)) {
        run.flags.push_back(std::move(doubt));
    }
    for (Doubt& doubt : doubts_about_overrides(library_variables(), job.execution,
                                               backend.device_memory.has_value())) {
        run.flags.push_back(std::move(doubt));
    }
}

bool ran_nothing(const Run& run) {
    return !run.steps.empty() && holes_of(run).skipped == run.steps.size();
}

// One experiment being measured into a database.
class Campaign {
public:
    Campaign(const Experiment& experiment, Database& database, const CampaignHooks& hooks)
        : experiment_(experiment),
          database_(database),
          hooks_(hooks),
          plan_(hooks.position
                    ? StoredPlan::at(database, *hooks.position)
                    : StoredPlan::open(database, identity_of(experiment), count_jobs(experiment))) {
    }

    // Everything is timed before anything is profiled: a profiler stays attached to its process and
    // slows down later timings. A job that cannot run here ends the campaign, but jobs timed before
    // it still get their profiles.
    ExitCode measure_all() {
        std::exception_ptr refusal;
        try {
            time_all();
        } catch (const Error& error) {
            if (!results_.empty() && results_.back().runs.empty()) {
                results_.pop_back();  // there is nothing to show
            }
            if (error.code() != ExitCode::machine_cannot) {
                show_all();
                throw;
            }
            refusal = std::current_exception();
        }
        if (!must_end_) {
            profile_all();
        }
        show_all();
        if (refusal) {
            std::rethrow_exception(refusal);
        }
        if (hooks_.observer.is_stopped()) {
            return ExitCode::interrupted;
        }
        if (must_end_ || has_lost_runs_) {
            return ExitCode::failed;  // the plan stays open: the same command continues it
        }
        plan_.close();
        return worst_;
    }

private:
    // A group being measured: its runs so far.
    struct GroupResult {
        GroupResult(const Group& jobs, std::size_t place, std::optional<Capacity> largest)
            : group(jobs), first(place), capacity(std::move(largest)) {}

        const Group& group;
        std::size_t first;  // job, in the plan
        std::optional<Capacity> capacity;
        std::vector<Run> runs = {};
        // By the run's place: what made the device unusable in an earlier process.
        std::map<std::size_t, std::vector<Omission>> omitted = {};
        bool is_shown = false;
    };

    // The last job that needs samples; nothing is timed after it.
    std::size_t last_incomplete_job() const {
        std::size_t job = count_jobs(experiment_);
        while (job > 0 && plan_.complete_run(job - 1)) {
            --job;
        }
        return job == 0 ? 0 : job - 1;
    }

    void time_all() {
        last_to_time_ = last_incomplete_job();
        std::size_t first = 0;  // job of the group, in the plan
        for (const Group& group : experiment_.groups) {
            GroupResult& result = results_.emplace_back(group, first, capacity_for(group));
            time_group(result);
            first += group.size();
            if (!asks_for_profile(group.front())) {
                show(result);
            }
            if (must_end_) {
                return;
            }
        }
    }

    void profile_all() {
        for (GroupResult& result : results_) {
            profile_group(result);
            if (must_end_) {
                return;
            }
            show(result);
        }
    }

    void show_all() {
        std::ranges::for_each(results_, [this](GroupResult& result) { show(result); });
    }

    void end_if_interrupted() { must_end_ = must_end_ || hooks_.observer.is_stopped(); }

    // A lost device ends the campaign if this process can no longer use it, otherwise only its run.
    void note_loss(const Run& run, const Backend& backend) {
        if (lost_its_device(run)) {
            has_lost_runs_ = true;
            must_end_ = must_end_ || backend.loss_scope() == LossScope::process;
        }
    }

    // Queried before anything runs, while the memory is free.
    std::optional<Capacity> capacity_for(const Group& group) const {
        const bool over_batch =
            group.size() > 1 && group.front().request.batch != group.back().request.batch;
        if (!over_batch) {
            return std::nullopt;
        }
        return capacity_of(group.front(), hooks_.backend(group.front())->info());
    }

    void time_group(GroupResult& result) {
        for (std::size_t i = 0; i < result.group.size() && !must_end_; ++i) {
            if (auto stored = plan_.complete_run(result.first + i)) {
                result.runs.push_back(std::move(*stored));
                continue;
            }
            const MeasuringLock lock = take_turn();
            if (!hooks_.observer.is_stopped()) {
                const std::optional<Run> earlier = plan_.partial_run(result.first + i);
                result.omitted[i] = omissions_of(earlier);
                result.runs.push_back(time(result, i, earlier, lock));
            }
            end_if_interrupted();
        }
        end_if_interrupted();
    }

    void profile_group(GroupResult& result) {
        for (std::size_t i = 0; i < result.runs.size() && !must_end_; ++i) {
            if (result.runs[i].state == RunState::complete || lost_its_device(result.runs[i])) {
                continue;
            }
            const MeasuringLock lock = take_turn();
            if (!hooks_.observer.is_stopped()) {
                profile(result, i);
            }
            end_if_interrupted();
        }
    }

    MeasuringLock take_turn() const {
        return hooks_.take_turn ? hooks_.take_turn() : MeasuringLock();
    }

    // The last job is profiled immediately, because nothing is timed after it. Every other run
    // stays partial until it has its profile.
    Run time(const GroupResult& result, std::size_t place, const std::optional<Run>& earlier,
             const MeasuringLock& lock) {
        const std::size_t index = result.first + place;
        const bool has_profile_later =
            index != last_to_time_ && asks_for_profile(result.group[place]);
        const Job job =
            has_profile_later ? without_profile(result.group[place]) : result.group[place];
        begin(job);
        const auto backend = hooks_.backend(job);
        Observer observer = hooks_.observer;
        std::optional<Checkpoints> checkpoints;
        observer.begun = [&](Run& run) {
            begin_run(database_, run, plan_.position(index));
            checkpoints.emplace(database_, run);
        };
        observer.checkpoint = [&](const Run& run) { checkpoints->store(run); };
        Run run = result.group.size() > 1 ? execute_or_refuse(job, *backend, observer, earlier)
                                          : execute(job, *backend, observer, earlier);
        add_doubts_about(job, lock, backend->info(), run);
        if (has_profile_later && !ran_nothing(run)) {
            run.state = RunState::partial;
        }
        store(run, has_profile_later);
        note_loss(run, *backend);
        end();
        return run;
    }

    // The network is prepared again: the networks of all jobs together may not fit in memory.
    void profile(GroupResult& result, std::size_t place) {
        Job job = result.group[place];
        job.execution.scheduling.omissions = result.omitted[place];
        Run& run = result.runs[place];
        begin(job);
        const auto backend = hooks_.backend(job);
        Observer observer = hooks_.observer;
        Checkpoints checkpoints(database_, run);
        observer.checkpoint = [&](const Run& now) { checkpoints.store(now); };
        run.state = RunState::complete;
        profile_timed(run, job, *backend, observer);
        store(run, false);
        note_loss(run, *backend);
        end();
    }

    // A database that stays locked loses no results: they are kept in a separate file. The next job
    // would only wait for the same lock.
    void store(const Run& run, bool lacks_only_profile) {
        try {
            finish_run(database_, run);
        } catch (const DatabaseLocked&) {
            if (run.state != RunState::complete && !lacks_only_profile) {
                throw;
            }
            Run kept = run;
            kept.state = RunState::complete;
            say_where(keep_beside(database_, std::move(kept)));
            must_end_ = true;
            has_lost_runs_ = true;
        }
    }

    void say_where(const std::filesystem::path& kept) const {
        if (hooks_.observer.say) {
            hooks_.observer.say(fmt::format(
                "database {} stayed locked, so the run was kept in {}; strata merge adds it",
                printable(database_.file().string(), 1000), printable(kept.string(), 1000)));
        }
    }

    void begin(const Job& job) const {
        if (hooks_.job_begins) {
            hooks_.job_begins(job);
        }
    }

    void end() const {
        if (hooks_.job_ends) {
            hooks_.job_ends();
        }
    }

    // Shows a group once, and releases the runs, which have many samples.
    void show(GroupResult& result) {
        if (std::exchange(result.is_shown, true)) {
            return;
        }
        const std::vector<Run> runs = std::exchange(result.runs, {});
        worst_ = graver(worst_, exit_code_of(runs));
        if (hooks_.show) {
            hooks_.show(runs, result.capacity);
        }
        if (result.group.size() == 1) {
            std::ranges::copy(runs, std::back_inserter(compared_));
        }
        if (++groups_shown_ % experiment_.settings.size() != 0) {
            return;
        }
        if (compared_.size() > 1 && hooks_.compare) {
            hooks_.compare(compared_);
        }
        compared_.clear();
    }

    const Experiment& experiment_;
    Database& database_;
    const CampaignHooks& hooks_;
    StoredPlan plan_;
    std::size_t groups_shown_ = 0;
    std::vector<Run> compared_;  // of one network and batch, so far
    std::vector<GroupResult> results_;
    std::size_t last_to_time_ = 0;
    bool must_end_ = false;
    bool has_lost_runs_ = false;  // to a device, or to a separate file next to the database
    ExitCode worst_ = ExitCode::done;
};

ExitCode exit_code_of(const Run& run) {
    const Holes holes = holes_of(run);
    if (holes.any()) {
        return holes.failed > 0 ? ExitCode::failed : ExitCode::machine_cannot;
    }
    const auto imprecise = [](const Flag& flag) { return flag.kind == DoubtKind::imprecise; };
    return std::ranges::any_of(run.flags, imprecise) ? ExitCode::unstable : ExitCode::done;
}

}  // namespace

ExitCode run_campaign(const Experiment& experiment, Database& database,
                      const CampaignHooks& hooks) {
    return Campaign(experiment, database, hooks).measure_all();
}

ExitCode exit_code_of(std::span<const Run> runs) {
    const bool one_ran = !std::ranges::all_of(runs, ran_nothing);
    ExitCode code = ExitCode::done;
    for (const Run& run : runs) {
        code = graver(code, ran_nothing(run) && one_ran ? ExitCode::done : exit_code_of(run));
    }
    return code;
}

ExitCode graver(ExitCode a, ExitCode b) {
    for (const ExitCode grave : {ExitCode::failed, ExitCode::machine_cannot, ExitCode::unstable}) {
        if (a == grave || b == grave) {
            return grave;
        }
    }
    return ExitCode::done;
}

}  // namespace strata
