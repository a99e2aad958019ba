// SPDX-License-Identifier: MIT
#pragma once

#include "measure/ratio.h"
#include "record/run.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// The difference of two times with its uncertainty. The interval combines the extremes of both
// medians' intervals or, if both were measured in the same iterations, is that of the differences.
// A single sample has no interval, so its difference is unbounded.
struct Difference {
    Seconds time;
    Seconds low;
    Seconds high;

    // Whether it exceeds the noise: its interval excludes 0.
    bool is_seen() const { return low > Seconds{0} || high < Seconds{0}; }
    // An upper bound of its magnitude.
    Seconds limit() const { return std::max(high, -low); }
};

// How well the parts of an iteration add up to the whole:
//   between  = instrumented - steps                time between the steps
//   stamps   = instrumented - end_to_end           cost of the time stamps
//   unexplained = end_to_end - steps
//   overhead = stamps / end_to_end
//   residual = unexplained / end_to_end
// No difference is formed with a total that other programs delayed in nearly every
// iteration.
struct Budget {
    std::optional<Estimate> end_to_end;    // without time stamps
    std::optional<Estimate> instrumented;  // with a time stamp between steps
    std::optional<Estimate> steps;         // the sum of an iteration's steps
    std::optional<Seconds> empty_step;     // the cost of an empty step
    std::size_t steps_timed = 0;           // number of steps
    // How the steps differ from an iteration without time stamps, as sentences; empty if they do
    // not.
    std::string apart;
    bool is_on_gpu = false;
    std::optional<Difference> between;
    std::optional<Difference> stamps;
    std::optional<Difference> unexplained;
    std::optional<Ratio> overhead;
    std::optional<Ratio> residual;
    // Whether end-to-end iterations consist of the timed steps: false if caches were prepared
    // before each step. Then there is no stamps, unexplained, overhead or residual.
    bool is_comparable = true;
    // Whether a total is from iterations that other programs delayed.
    bool is_disturbed = false;
    // Whether the iterations ran the whole network: false if a step could not run or failed
    // (record/completeness.h). Then there is only the sum of the steps that ran.
    bool is_whole = true;

    // Whether an empty step costs a call of the framework; otherwise its time stamps.
    bool counts_calls() const { return !apart.empty() && !is_on_gpu; }
};

// Budget::apart of a run, as reported by its backend.
std::string apart_of(const Run& run);

// The time of an iteration without time stamps; nothing if none was timed or the run is
// incomplete.
std::optional<Estimate> end_to_end_of(const Run& run);

Budget budget_of(const Run& run);

// The sum of the measured steps in a selection of one run's steps. Steps with the same number of
// samples were sampled together: they are summed iteration by iteration, and the median is that of
// the sums. A step that occurs only in some iterations adds its average to each. Otherwise, or if
// other programs delayed a step in nearly every iteration, medians and bounds are added. Nothing if
// no step was measured.
std::optional<Estimate> sum_of(std::span<const StepResult* const> steps);
// The sums by iteration, without delayed ones if enough others are left; empty if the steps were
// not sampled together.
std::vector<Seconds> sums_of(std::span<const StepResult* const> steps);
// The sum of all steps. Equal steps can substitute for each other (record/step_times.h).
std::optional<Estimate> sum_of_steps(const Run& run);

}  // namespace strata
