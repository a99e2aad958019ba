// SPDX-License-Identifier: MIT
#pragma once

#include "measure/clock.h"
#include "measure/iteration.h"
#include "measure/policy.h"

#include <functional>
#include <span>

namespace strata {

// Runs an iteration until its time has settled, and keeps nothing: code is generated, pages are
// touched, caches and clocks reach their level.
//
// It runs at least policy.warmup iterations, the first of them with time stamps. It then continues
// until the medians of the last quarter and of the quarter before agree to 1 %, for at least eight
// iterations, but not beyond 2 s or a tenth of max_time. A slow iteration is warm after fewer: the
// required ones also end once they have taken a quarter of max_time. `stop_requested` is asked
// between iterations.
void warm_up(Iteration& iteration, const Policy& policy, Clock& clock,
             const std::function<bool()>& stop_requested);

// Whether a series of times has settled, as above.
bool has_settled(std::span<const Seconds> times);

}  // namespace strata
