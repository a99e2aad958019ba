// SPDX-License-Identifier: MIT
#include "run/campaign.h"

#include "measure/circumstances.h"
#include "measure/environment.h"
#include "record/completeness.h"
#include "run/memory.h"
#include "run/overrides.h"
#include "run/refusal.h"
#include "store/plan.h"
#include "store/save.h"

#include <algorithm>

namespace strata {

namespace {

// What was known to disturb the run before it began. Threads of the host do not crowd a device of
// the backend's own.
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

// One experiment on its way into a database.
class Campaign {
public:
    Campaign(const Experiment& experiment, Database& database, const CampaignHooks& hooks)
        : experiment_(experiment),
          database_(database),
          hooks_(hooks),
          plan_(StoredPlan::open(database, identity_of(experiment), count_jobs(experiment))) {}

    ExitCode measure_all() {
        ExitCode worst = ExitCode::done;
        std::size_t first = 0;  // job of the group, in the plan
        for (const Group& group : experiment_.groups) {
            const auto capacity = capacity_for(group);
            const std::vector<Run> runs = measure_group(group, first);
            first += group.size();
            show(group, runs, capacity);
            worst = graver(worst, exit_code_of(runs));
            if (hooks_.observer.is_stopped()) {
                return ExitCode::interrupted;
            }
            if (std::ranges::any_of(runs, lost_its_device)) {
                return ExitCode::failed;  // the plan stays open: the same command continues it
            }
        }
        plan_.close();
        return worst;
    }

private:
    // Asked before anything runs, while the memory is free.
    std::optional<Capacity> capacity_for(const Group& group) const {
        const bool over_batch =
            group.size() > 1 && group.front().request.batch != group.back().request.batch;
        if (!over_batch) {
            return std::nullopt;
        }
        return capacity_of(group.front(), hooks_.make_backend(group.front())->info());
    }

    // The runs of a group whose first has this index in the plan, until the user interrupts.
    std::vector<Run> measure_group(const Group& group, std::size_t first) {
        std::vector<Run> runs;
        const auto keeps_going = [&] {
            return !hooks_.observer.is_stopped() && (runs.empty() || !lost_its_device(runs.back()));
        };
        for (std::size_t i = 0; i < group.size() && keeps_going(); ++i) {
            if (auto stored = plan_.complete_run(first + i)) {
                runs.push_back(std::move(*stored));
                continue;
            }
            const MeasuringLock lock = hooks_.take_turn ? hooks_.take_turn() : MeasuringLock();
            if (!hooks_.observer.is_stopped()) {
                runs.push_back(measure(group[i], first + i, group.size() > 1, lock));
            }
        }
        return runs;
    }

    Run measure(const Job& job, std::size_t index, bool in_sweep, const MeasuringLock& lock) {
        if (hooks_.job_begins) {
            hooks_.job_begins(job);
        }
        const Graph graph = graph_for(job);
        const auto backend = hooks_.make_backend(job);
        const std::optional<Run> earlier = plan_.partial_run(index);
        Observer observer = hooks_.observer;
        std::optional<Checkpoints> checkpoints;
        observer.begun = [&](Run& run) {
            begin_run(database_, run, plan_.position(index));
            checkpoints.emplace(database_, run);
        };
        observer.checkpoint = [&](const Run& run) { checkpoints->store(run); };
        Run run = in_sweep ? execute_or_refuse(job, graph, *backend, observer, earlier)
                           : execute(job, graph, *backend, observer, earlier);
        add_doubts_about(job, lock, backend->info(), run);
        finish_run(database_, run);
        if (hooks_.job_ends) {
            hooks_.job_ends();
        }
        return run;
    }

    void show(const Group& group, const std::vector<Run>& runs,
              const std::optional<Capacity>& capacity) {
        if (hooks_.show) {
            hooks_.show(runs, capacity);
        }
        if (group.size() == 1) {
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
};

bool ran_nothing(const Run& run) {
    return !run.steps.empty() && holes_of(run).skipped == run.steps.size();
}

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
