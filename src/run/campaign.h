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

// The program's services that a campaign needs. All but make_backend may be empty.
struct CampaignHooks {
    // The backend that a job names, as its execution needs it.
    std::function<std::unique_ptr<Backend>(const Job& job)> make_backend;
    // Waits until no other process measures on this machine, or until `observer.stop` is raised;
    // what it returns is held while one job is measured.
    std::function<MeasuringLock()> take_turn = {};
    // Around each job that is timed or profiled; not around those whose results are stored already.
    std::function<void(const Job& job)> job_begins = {};
    std::function<void()> job_ends = {};
    // Progress, sentences and the interrupt. Storing is the campaign's own: `begun` and
    // `checkpoint` are ignored.
    Observer observer = {};
    // The runs of a group, in order, as soon as they are all there: fewer than its jobs, or none,
    // where the campaign was interrupted. The capacity is known where the group varies the batch.
    std::function<void(const std::vector<Run>& runs, const std::optional<Capacity>& capacity)>
        show = {};
    // Runs of one network and batch that differ in their execution only; the first is what the
    // others are compared with.
    std::function<void(const std::vector<Run>& runs)> compare = {};
    // The place of the experiment's only job in a plan that another process keeps (run/rounds.h).
    std::optional<PlanPosition> position = {};
};

// Measures every job of an experiment, in order, and stores each run while it is measured
// (store/plan.h): where the same experiment was interrupted before, complete runs are not measured
// again and a partial one is continued. Where jobs ask for a trace or counters, all jobs are timed
// before the first is profiled, and groups are shown after that; a run stays partial until it has
// its profile. A network that the machine cannot run ends a campaign by an
// Error where it is asked for alone, and is one result among others in a sweep. A lost device ends
// the campaign, or only its run where the next gets another one (LossScope); the campaign has
// failed, and the same command continues it. Otherwise returns the gravest exit_code_of its groups.
ExitCode run_campaign(const Experiment& experiment, Database& database, const CampaignHooks& hooks);

// What a script must know of runs that are shown together, by the exit code alone: failed where a
// step of one failed, machine_cannot where one could not run here, unstable where a run is not as
// precise as asked. A size of a sweep that cannot run at all is a result of the sweep, as long as
// another size did run.
ExitCode exit_code_of(std::span<const Run> runs);

// The one of two that matters more: failed, then machine_cannot, then unstable, then done.
ExitCode graver(ExitCode a, ExitCode b);

}  // namespace strata
