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
    // The current activity and, while sampling, its progress (0..1).
    std::function<void(const std::string& stage, double fraction)> progress = {};
    void tell(const std::string& stage, double fraction = 0) const {
        if (progress) {
            progress(stage, fraction);
        }
    }
    // A message before it begins: the cost of counting.
    std::function<void(const std::string& sentence)> say = {};
    // Called when the steps are known, with the samples of an earlier attempt: a store begins the
    // run here.
    std::function<void(Run& run)> begun = {};
    // Called about once a second, with everything sampled so far.
    std::function<void(const Run& run)> checkpoint = {};
    // Set from outside: stop after the current iteration.
    const std::atomic<bool>* stop = nullptr;
    bool is_stopped() const { return stop != nullptr && *stop; }
};

// A run before the backend binds threads and allocates memory, which would change what this
// process sees of its machine: settings, provenance, the memory it will need. It has no steps
// yet.
Run planned_run(const Job& job, const Backend& backend);

// The job's network prepared on a backend, with the job's inputs. Throws Error with exit code
// machine_cannot if most of it cannot run.
std::unique_ptr<Executable> prepare(const Job& job, Backend& backend, MemoryReuse memory);

// Prepares the job's network on a backend, verifies it if requested, and samples it. `earlier`
// is a partial run of the same job: its samples are kept and sampling continues; it is ignored
// if its steps differ, but a step that made the device unusable then is left out as failed.
// The run is partial if `stop` was set or the device was lost (run/refusal.h). Throws Error
// with exit code machine_cannot if the network needs more memory than the machine or
// job.memory has.
Run execute(const Job& job, Backend& backend, const Observer& observer,
            const std::optional<Run>& earlier = {});

}  // namespace strata
