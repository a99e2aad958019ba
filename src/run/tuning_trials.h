// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "measure/clock.h"
#include "run/tune.h"
#include "run/tuning_budget.h"
#include "run/tuning_networks.h"

#include <string>
#include <vector>

namespace strata {

// The common state of all parts of a tuning.
struct TuningTask {
    const Plan& plan;
    Execution execution;  // of the usual network
    Backend& backend;
    const TuningLimits& limits;
    Clock& clock;
    const TuningHooks& hooks;
    Seconds begin;

    bool is_stopped() const { return hooks.stop && hooks.stop(); }
    // Until this share of the time is spent; negative after that.
    Seconds left(double share) const { return begin + limits.time * share - clock.now(); }
    void tell(const std::string& what) const;
};

// Tries every algorithm that has no trial yet for a pass of the usual network, in networks in which
// every layer uses it if it can, and adds the trials. A trial that would not end in time is not
// begun, except the first if none gains so far. Measures the costs of the parts. Returns how many
// algorithms were not tried for lack of time.
std::size_t try_candidates(const TuningTask& task, TuningNetwork& usual,
                           std::vector<TuningTrial>& trials, TuningCosts& costs);

}  // namespace strata
