// SPDX-License-Identifier: MIT
#pragma once

#include "measure/statistics.h"
#include "record/run.h"

#include <optional>
#include <span>

namespace strata {

// A share with its interval.
struct Ratio {
    double value = 0;
    double low = 0;
    double high = 0;
};

// How the parts and the whole of an iteration agree:
//   overhead = (instrumented - end_to_end) / end_to_end    what the time stamps cost
//   residual = (end_to_end - steps) / end_to_end           what the steps do not explain
// Their intervals are those of the medians taken at their worst: too wide rather than too narrow.
struct Budget {
    std::optional<Estimate> end_to_end;    // without time stamps
    std::optional<Estimate> instrumented;  // with one between each two steps
    std::optional<Estimate> steps;         // the sum of an iteration's steps
    std::optional<Ratio> overhead;
    std::optional<Ratio> residual;
    // Whether the steps, timed, are what end to end iterations consist of: not where caches were
    // prepared before each of them. Then there is neither overhead nor residual.
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
