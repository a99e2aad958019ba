// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "measure/measurement.h"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace strata {

// With fewer samples the median has no 95 % interval: even their whole range covers it only in 1 -
// 2^(1 - n) of all cases, 93.75 % for five.
inline constexpr std::size_t min_samples_for_interval = 6;

// The samples used in an estimate. `clean`: without those that other programs delayed. `pooled`:
// too few were clean, so the clean ones of equal steps are used (record/step_times.h). `disturbed`:
// too few were clean, so all are used, and the estimate supports no conclusion.
enum class SampleUse { all, clean, pooled, disturbed };
inline constexpr std::array<std::string_view, 4> names_of(SampleUse) {
    return {"all", "clean", "pooled", "disturbed"};
}

// A median with its 95 % confidence interval (order statistics, exact binomial). For fewer than six
// samples it is the whole range, which covers less; `samples` shows that. If neighbouring samples
// are significantly correlated, the interval is that of the effective number of samples
// (measure/series.h).
struct Estimate {
    Seconds median;
    Seconds low;
    Seconds high;
    Seconds minimum;
    std::size_t samples = 0;
    std::size_t disturbed = 0;  // delayed samples: left out, unless they had to be used
    SampleUse use = SampleUse::all;

    bool operator==(const Estimate&) const = default;
};

// `values` in the order they were taken. Requires: values not empty.
Estimate estimate(std::span<const Seconds> values);

// The estimate from the samples that other programs did not delay, or from all if too few are left.
// A mark means that a thread waited for a processor; the length of a sample decides nothing, so a
// step that is sometimes slow by itself keeps its slow samples. Requires: values not empty.
Estimate estimate(const Samples& samples);

// The samples used in such an estimate.
std::vector<Seconds> values_of_estimate(const Samples& samples);

// The samples that were not delayed, and whether they are enough: six, or more than half of all.
std::vector<Seconds> clean_values(const Samples& samples);
bool are_enough(std::size_t clean, std::size_t all);

// Half the interval's width over the median.
double relative_half_width(const Estimate& estimate);

// The quantile at `share`, linear between neighbours (definition 7 of Hyndman and Fan 1996).
// Requires: values not empty, share in [0, 1].
Seconds quantile(std::span<const Seconds> values, double share);
Seconds median_of(std::span<const Seconds> values);

// The 1-based rank k for which [k-th smallest, k-th largest] of n independent values contains their
// median with at least 95 %: the largest k with P(Binomial(n, 1/2) < k) <= 2.5 %. 0 if there is
// none.
std::size_t interval_rank(std::size_t n);

}  // namespace strata
