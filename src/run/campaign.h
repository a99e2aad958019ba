// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"
#include "graph/largest_batch.h"
#include "measure/machine_lock.h"
#include "run/execute.h"
#include "run/experiment.h"
#include "store/database.h"
#include "store/save.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace strata {

// The program's services that a campaign needs. All except the backend may be empty.
struct CampaignHooks {
    // The backend that a job names, set up for its execution; jobs may share it.
    std::function<std::shared_ptr<Backend>(const Job& job)> backend;
    // Waits until no other process measures on this machine, or `observer.stop` is set; the
    // returned lock is held while one job is measured.
    std::function<MeasuringLock()> take_turn = {};
    // Called around each job that is timed or profiled, but not if its results are already stored.
    std::function<void(const Job& job)> job_begins = {};
    std::function<void()> job_ends = {};
    // Progress, messages and the interrupt. The campaign itself stores results: `begun` and
    // `checkpoint` are ignored.
    Observer observer = {};
    // Receives the runs of a group, in order, once they are complete: fewer than its jobs, or none,
    // if the campaign was interrupted. The capacity is known if the group varies the batch.
    std::function<void(const std::vector<Run>& runs, const std::optional<Capacity>& capacity)>
        show = {};
    // Runs of one network and batch that differ only in their execution; the others are compared
    // with the first.
    std::function<void(const std::vector<Run>& runs)> compare = {};
    // The place of the experiment's only job in a plan that another process keeps (run/rounds.h).
    std::optional<PlanPosition> position = {};
};

// Measures every job of an experiment (all are planned), in order, and stores each run while it is
// measured (store/plan.h): if the same experiment was interrupted before, complete runs are not
// measured again and a partial one is continued. If jobs request a trace or counters, all jobs are
// timed before the first is profiled, and groups are shown after that; a run stays partial until it
// has its profile. A network that the machine cannot run ends the campaign with an Error if it is
// the only one, and is one result among others in a sweep. A lost device ends the campaign, or only
// its run if the next gets another device (LossScope); the campaign has failed, and the same
// command continues it. Otherwise returns the most severe exit_code_of its groups.
ExitCode run_campaign(const Experiment& experiment, Database& database, const CampaignHooks& hooks);

// The exit code of runs that are shown together: failed if a step failed, machine_cannot
// if one could not run here, unstable if a run is less precise than requested. A size of
// a sweep that cannot run at all is a result of the sweep, as long as another size did
// run.
ExitCode exit_code_of(std::span<const Run> runs);

// The more severe of two: failed, then machine_cannot, then unstable, then done.
ExitCode graver(ExitCode a, ExitCode b);

}  // namespace strata
