// SPDX-License-Identifier: MIT
#include "view/recount.h"

#include "op/problem.h"

namespace strata {

namespace {

bool can_be_recounted(const StepResult& step) {
    return step.kind == "compute" && step.pass != Pass::update && !step.problem.empty() &&
           !step.problem.starts_with(Opaque::type);
}

Flops recount(const StepResult& step, const Convention& convention) {
    const Problem problem = parse_problem(step.problem);
    return count(problem.op, signature_of(problem), step.pass, convention);
}

}  // namespace

Run counted_by(const Convention& convention, Run run) {
    if (&convention == &conventions().front()) {
        return run;
    }
    for (StepResult& step : run.steps) {
        if (can_be_recounted(step)) {
            step.flops = recount(step, convention);
        }
    }
    return run;
}

}  // namespace strata
