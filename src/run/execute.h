// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "record/run.h"
#include "run/job.h"

#include <atomic>
#include <functional>

namespace strata {

// Callbacks about a run's progress. Each may be empty.
struct Observer {
    // A word on what happens now and, while sampling, how far it is (0..1).
    std::function<void(const std::string& stage, double fraction)> progress = {};
    void tell(const std::string& stage, double fraction = 0) const {
        if (progress) {
            progress(stage, fraction);
        }
    }
    // A sentence for the user before it begins: the cost of counting.
    std::function<void(const std::string& sentence)> say = {};
    // The steps are known, with the samples of an earlier attempt: a store begins the run here.
    std::function<void(Run& run)> begun = {};
    // About once a second, with everything sampled so far.
    std::function<void(const Run& run)> checkpoint = {};
    // Raised from outside: stop as soon as an iteration ends.
    const std::atomic<bool>* stop = nullptr;
    bool is_stopped() const { return stop != nullptr && *stop; }
};

// The graph that a job runs: loaded, without its loss for inference, cut to the job's slice.
Graph graph_for(const Job& job);

// The present time as Run::created has it.
std::string now_utc();

// What can be said of a run before a backend binds threads and takes memory, which changes what
// this process sees of its machine: settings, provenance, the memory it will need. It has no steps
// yet.
Run planned_run(const Job& job, const Graph& graph, const Backend& backend);

// The job's graph prepared on a backend, with the job's inputs. Throws Error with exit code
// machine_cannot where most of it cannot run.
std::unique_ptr<Executable> prepare(const Job& job, const Graph& graph, Backend& backend,
                                    MemoryReuse memory);

// Prepares the job's graph on a backend, verifies it if asked, and samples it. `earlier` is a
// partial run of the same job: its samples are kept and sampling continues; it is ignored where its
// steps differ; but what made the device unusable then is left out and has failed. The run is
// partial where `stop` was raised, or where the device was lost (run/refusal.h). Throws Error
// with exit code machine_cannot where the network needs more memory than the machine or job.memory
// has.
Run execute(const Job& job, const Graph& graph, Backend& backend, const Observer& observer,
            const std::optional<Run>& earlier = {});

}  // namespace strata
