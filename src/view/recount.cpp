// SPDX-License-Identifier: MIT
#include "view/recount.h"

#include "analyze/bottleneck.h"
#include "op/problem.h"

namespace strata {

namespace {

bool can_be_recounted(const StepResult& step) {
    return step.kind == StepKind::compute && !is_alias(step) && !step.problem.empty() &&
           !step.problem.starts_with(Opaque::type);
}

Flops recount(const StepResult& step, const Convention& convention, const UpdateCost& update) {
    const Problem problem = parse_problem(step.problem);
    return count(problem.op, signature_of(problem), step.pass, convention, update);
}

}  // namespace

Run counted_by(const Convention& convention, Run run) {
    if (&convention == &conventions().front()) {
        return run;
    }
    const UpdateCost update = cost_of(run.settings.execution.numerics.optimizer);
    for (StepResult& step : run.steps) {
        if (can_be_recounted(step)) {
            step.flops = recount(step, convention, update);
        }
    }
    return run;
}

Sweep counted_by(const Convention& convention, Sweep sweep) {
    for (SweepPoint& point : sweep.points) {
        if (point.time) {
            point.flops = flops_that_ran(counted_by(convention, *point.run));
        }
    }
    sweep.convention = convention.name;
    return sweep;
}

}  // namespace strata
