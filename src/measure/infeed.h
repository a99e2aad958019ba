// SPDX-License-Identifier: MIT
#pragma once

#include "measure/clock.h"
#include "measure/policy.h"
#include "measure/sampled_infeed.h"

#include <functional>

namespace strata {

// An iteration together with what makes its input beside it.
class Infeed {
public:
    virtual ~Infeed() = default;

    // Begins to make the next batch on threads of its own and returns at once. Requires: none is
    // being made; the last but one was copied.
    virtual void begin_batch() = 0;

    // Waits until the batch is made. Throws Error where it cannot be.
    virtual BatchTimes finish_batch() = 0;

    // Hands the batch that was finished last to the iteration.
    virtual void copy_batch() = 0;

    // Runs the iteration once.
    virtual void run_step() = 0;
};

// Samples in rounds of iterations alone, serial and overlapped ones, in an order drawn anew for
// each, so that whatever disturbs the machine disturbs all three alike. A kind fills about 20 ms of
// a round: a quick iteration is run several times in a row (at most 64), after one whose time is
// not kept. An overlapped iteration always follows another one. The first round is a warm-up.
//
// It ends when the medians of the three are as precise as the policy asks, after at least
// min_samples of each and min_time, or when max_time is used up. At least one round is kept unless
// `stop_requested`, which is asked between iterations. `progress` receives the share of the work
// that is done. Throws what the infeed throws.
SampledInfeed sample_infeed(Infeed& infeed, const Policy& policy, Clock& clock,
                            const std::function<bool()>& stop_requested = {},
                            const std::function<void(double)>& progress = {});

}  // namespace strata
