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
// medians' intervals or, where both were measured in the same iterations, is that of the
// differences. A single sample has no interval, so the difference is unbounded.
struct Difference {
    Seconds time;
    Seconds low;
    Seconds high;

    // Whether it exceeds the noise: its interval excludes 0.
    bool is_seen() const { return low > Seconds{0} || high < Seconds{0}; }
    // An upper bound of its magnitude.
    Seconds limit() const { return std::max(high, -low); }
};

// How the parts and the whole of an iteration agree:
//   between  = instrumented - steps                what passes between the steps
//   stamps   = instrumented - end_to_end           what the time stamps cost
//   unexplained = end_to_end - steps
//   overhead = stamps / end_to_end
//   residual = unexplained / end_to_end
// A total that other programs delayed in nearly every iteration agrees with nothing: no difference
// is formed with it.
struct Budget {
    std::optional<Estimate> end_to_end;    // without time stamps
    std::optional<Estimate> instrumented;  // with one between each two steps
    std::optional<Estimate> steps;         // the sum of an iteration's steps
    std::optional<Seconds> empty_step;     // what a step costs that does nothing
    std::size_t steps_timed = 0;           // how many there are
    // What the steps do otherwise than an iteration without time stamps, as sentences; empty where
    // they do the same. Then an empty step costs its time stamps, and else a call of the framework.
    std::string apart;
    std::optional<Difference> between;
    std::optional<Difference> stamps;
    std::optional<Difference> unexplained;
    std::optional<Ratio> overhead;
    std::optional<Ratio> residual;
    // Whether end-to-end iterations consist of the timed steps: not where caches were prepared
    // before each step. Without it there is no stamps, unexplained, overhead or residual.
    bool is_comparable = true;
    // Whether a total is that of iterations that other programs delayed.
    bool is_disturbed = false;
    // Whether the iterations ran the whole network: not where a step could not run or failed
    // (record/completeness.h). Without it there is only the sum of the steps that ran.
    bool is_whole = true;
};

// Budget::apart of a run: what its backend says of it.
std::string apart_of(const Run& run);

// The time of an iteration without time stamps; nothing where none was timed, and for an incomplete
// run.
std::optional<Estimate> end_to_end_of(const Run& run);

Budget budget_of(const Run& run);

// The sum of the measured steps in a selection of one run's steps. Steps with the same number of
// samples were sampled together: they are added up iteration by iteration, and the median is that
// of the sums. What occurs in some iterations only adds its average to each. If they were not, or
// if other programs delayed a step in nearly every iteration, medians and bounds are added. Nothing
// where no step was measured.
std::optional<Estimate> sum_of(std::span<const StepResult* const> steps);
// The sums themselves, by iteration, without those that were delayed where enough others are left;
// empty where the steps were not sampled together.
std::vector<Seconds> sums_of(std::span<const StepResult* const> steps);
// The sum of all steps. Steps that are alike can stand in for each other (record/step_times.h).
std::optional<Estimate> sum_of_steps(const Run& run);

}  // namespace strata
