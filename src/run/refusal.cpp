// SPDX-License-Identifier: MIT
#include "run/refusal.h"

#include "base/error.h"
#include "run/steps.h"

#include <new>

namespace strata {

namespace {

Run refused_run(const Job& job, const Graph& graph, const Backend& backend,
                const Observer& observer, const std::string& reason) {
    Run run = planned_run(job, graph, backend);
    run.steps =
        step_results(graph, job.execution, scheduled_steps(graph, job.execution, reason), {});
    run.state = RunState::complete;
    if (observer.begun) {
        observer.begun(run);
    }
    return run;
}

}  // namespace

Run execute_or_refuse(const Job& job, const Graph& graph, Backend& backend,
                      const Observer& observer, const std::optional<Run>& earlier) {
    try {
        return execute(job, graph, backend, observer, earlier);
    } catch (const Error& error) {
        if (error.code() != ExitCode::machine_cannot) {
            throw;
        }
        return refused_run(job, graph, backend, observer, error.what());
    } catch (const std::bad_alloc&) {
        return refused_run(job, graph, backend, observer, "memory is exhausted");
    }
}

}  // namespace strata
