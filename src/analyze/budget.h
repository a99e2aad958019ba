// SPDX-License-Identifier: MIT
#pragma once

#include "measure/statistics.h"
#include "record/run.h"

#include <algorithm>
#include <optional>
#include <span>

namespace strata {

// A share with its interval.
struct Ratio {
    double value = 0;
    double low = 0;
    double high = 0;
};

// The time of one thing less that of another, and how well it is known. The interval is that of the
// two medians taken at their worst, or, where both were measured in the same iterations, of the
// differences; one sample has none, which leaves it without bounds.
struct Difference {
    Seconds time;
    Seconds low;
    Seconds high;

    // Whether it is more than noise: 0 is not among what it may be.
    bool is_seen() const { return low > Seconds{0} || high < Seconds{0}; }
    // What it is less than, whichever its sign.
    Seconds limit() const { return std::max(high, -low); }
};

// How the parts and the whole of an iteration agree:
//   between  = instrumented - steps                what passes between the steps
//   stamps   = instrumented - end_to_end           what the time stamps cost
//   unexplained = end_to_end - steps
//   overhead = stamps / end_to_end
//   residual = unexplained / end_to_end
struct Budget {
    std::optional<Estimate> end_to_end;    // without time stamps
    std::optional<Estimate> instrumented;  // with one between each two steps
    std::optional<Estimate> steps;         // the sum of an iteration's steps
    std::optional<Difference> between;
    std::optional<Difference> stamps;
    std::optional<Difference> unexplained;
    std::optional<Ratio> overhead;
    std::optional<Ratio> residual;
    // Whether the steps, timed, are what end to end iterations consist of: not where caches were
    // prepared before each of them. Then there is neither stamps nor unexplained, overhead nor
    // residual.
    bool is_comparable = true;
    // Whether the iterations were the network's: not where a step could not run or failed
    // (record/completeness.h). Then there is only the sum of the steps that ran.
    bool is_whole = true;
};

// Of an iteration without time stamps; nothing where none was timed, and of an incomplete run.
std::optional<Estimate> end_to_end_of(const Run& run);

Budget budget_of(const Run& run);

// The sum of the measured among some steps of one run. Steps with equally many samples were sampled
// together: they are added up iteration by iteration, and the median is of these sums. Otherwise
// medians and bounds are added. Nothing where no step was measured.
std::optional<Estimate> sum_of(std::span<const StepResult* const> steps);
// Of all.
std::optional<Estimate> sum_of_steps(const Run& run);

}  // namespace strata
