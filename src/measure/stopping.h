// SPDX-License-Identifier: MIT
#pragma once

#include "measure/clock.h"
#include "measure/iteration.h"
#include "measure/policy.h"
#include "measure/statistics.h"

#include <functional>
#include <optional>
#include <span>

namespace strata {

// Runs an iteration until its time has settled, and keeps nothing: code is generated, pages are
// touched, caches and clocks reach their level.
//
// It runs at least policy.warmup iterations, the first of them with time stamps. It then continues
// until the medians of the last quarter and of the quarter before agree to 1 %, for at least eight
// iterations, but not beyond 2 s or a tenth of max_time. A slow iteration is warm after fewer: the
// required ones also end once they have taken a quarter of max_time. `stop_requested` is checked
// between iterations.
void warm_up(Iteration& iteration, const Policy& policy, Clock& clock,
             const std::function<bool()>& stop_requested);

// Whether a series of times has settled, as above.
bool has_settled(std::span<const Seconds> times);

// Decides from the samples so far whether to continue.
//
// It checks only at numbers of samples that grow by a quarter, because every check is one more
// chance to stop on a lucky streak. With this spacing, the final interval covers in 93.5 to 97 % of
// cases (simulated for normal noise of 2 % and precisions from 2 to 0.3 %; verified by
// stopping_test.cpp).
class Stopping {
public:
    explicit Stopping(const Policy& policy) : policy_(policy) {}

    // Call it after each round. `samples` is the smallest number of one quantity, `spent` the time
    // spent on sampling, earlier attempts included, and `precision` the worst relative half-width
    // of a median now. Nothing: continue.
    std::optional<StopReason> decide(std::size_t samples, Seconds spent,
                                     const std::function<double()>& precision);

    // For an iteration the medians of the end-to-end time, of the instrumented time and of the sum
    // of the parts must be precise; the parts themselves carry their own intervals.
    std::optional<StopReason> decide(const SampledIteration& sampled, Seconds spent);

    // The worst relative half-width at the last check; nothing before the first.
    std::optional<double> precision() const { return precision_; }

private:
    void look(std::size_t samples, double precision);
    bool is_precise() const { return precision_ && *precision_ <= policy_.precision; }

    Policy policy_;
    std::size_t next_look_ = min_samples_for_interval;
    std::optional<double> precision_;
};

// The relative half-width of the median, for an iteration the worst of the three; infinite if there
// are too few samples for an interval.
double precision_of(const Samples& samples);
double precision_of(const SampledIteration& sampled);

}  // namespace strata
