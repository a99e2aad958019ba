// SPDX-License-Identifier: MIT
#include "analyze/verification.h"

namespace strata {

std::optional<VerificationFindings> verification_of(const Run& run) {
    if (!run.verified) {
        return std::nullopt;
    }
    VerificationFindings found{.compared = run.verified->compared,
                               .without_reference = run.verified->without_reference};
    for (const StepResult& step : run.steps) {
        if (!step.verified) {
            continue;
        }
        if (!step.verified->agrees()) {
            ++found.disagreeing;
        }
        const bool is_worst = found.worst == nullptr ||
                              step.verified->of_tolerance() > found.worst->verified->of_tolerance();
        found.worst = is_worst ? &step : found.worst;
    }
    return found;
}

}  // namespace strata
