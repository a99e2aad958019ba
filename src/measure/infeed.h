// SPDX-License-Identifier: MIT
#pragma once

#include "measure/clock.h"
#include "measure/policy.h"
#include "measure/sampled_infeed.h"

#include <functional>

namespace strata {

// An iteration together with the maker of its input.
class Infeed {
public:
    virtual ~Infeed() = default;

    // Starts making the next batch on its own threads and returns immediately. Requires: none is
    // being made; the last but one was copied.
    virtual void begin_batch() = 0;

    // Waits until the batch is made. Throws Error if that fails.
    virtual BatchTimes finish_batch() = 0;

    // Copies the last finished batch to the iteration.
    virtual void copy_batch() = 0;

    // Runs the iteration once.
    virtual void run_step() = 0;
};

// Samples in rounds of plain, serial and overlapped iterations, in a random order for each round,
// so that disturbances of the machine affect all three alike. A kind fills about 20 ms of a round:
// a quick iteration runs several times in a row (at most 64), after one whose time is not kept. An
// overlapped iteration always follows another one. The first round is a warm-up.
//
// It ends when the three medians are as precise as the policy requests, after at least min_samples
// of each and min_time, or when max_time is used up. At least one round is kept unless
// `stop_requested`, which is checked between iterations. `progress` receives the share of the work
// done. Throws whatever the infeed throws.
SampledInfeed sample_infeed(Infeed& infeed, const Policy& policy, Clock& clock,
                            const std::function<bool()>& stop_requested = {},
                            const std::function<void(double)>& progress = {});

}  // namespace strata
