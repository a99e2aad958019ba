// SPDX-License-Identifier: MIT
#include "measure/statistics.h"

#include "base/error.h"
#include "measure/series.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace strata {
namespace {

constexpr double tail_probability = 0.025;

std::vector<Seconds> sorted(std::span<const Seconds> values) {
    std::vector<Seconds> copy(values.begin(), values.end());
    std::sort(copy.begin(), copy.end());
    return copy;
}

Seconds quantile_of_sorted(std::span<const Seconds> values, double share) {
    const double position = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const auto above = std::min(below + 1, values.size() - 1);
    return values[below] + (position - std::floor(position)) * (values[above] - values[below]);
}

// P(Binomial(n, 1/2) = j) by the gamma function: exact to the last few bits for every n.
double binomial_probability(double n, double j) {
    return std::exp(std::lgamma(n + 1) - std::lgamma(j + 1) - std::lgamma(n - j + 1) -
                    n * std::log(2.0));
}

// The rank of the interval's ends if dependence makes n samples worth only `effective` independent
// ones: its distance from the middle grows by the square root of the ratio, as a rank's deviation
// does.
std::size_t widened_rank(std::size_t n, double effective) {
    const double middle = (static_cast<double>(n) + 1) / 2;
    const double distance = middle - static_cast<double>(interval_rank(n));
    const double rank = middle - distance * std::sqrt(static_cast<double>(n) / effective);
    return static_cast<std::size_t>(std::max(1.0, std::floor(rank + 1e-9)));
}

}  // namespace

std::size_t interval_rank(std::size_t n) {
    const auto count = static_cast<double>(n);
    // Twenty deviations below the middle, the remaining lower tail is 0 in a double.
    double outcome = std::max(0.0, std::floor(count / 2 - 10 * std::sqrt(count)));
    double probability = binomial_probability(count, outcome);
    double below = 0;
    while (below + probability <= tail_probability) {
        below += probability;
        probability *= (count - outcome) / (outcome + 1);
        outcome += 1;
    }
    return static_cast<std::size_t>(outcome);
}

Estimate estimate(std::span<const Seconds> values) {
    check(!values.empty(), "an estimate needs a sample");
    const auto ordered = sorted(values);
    const std::size_t n = ordered.size();
    const std::size_t rank = widened_rank(n, effective_samples(values));
    return {.median = quantile_of_sorted(ordered, 0.5),
            .low = ordered[rank - 1],
            .high = ordered[n - rank],
            .minimum = ordered.front(),
            .samples = n};
}

bool are_enough(std::size_t clean, std::size_t all) {
    return clean >= min_samples_for_interval || 2 * clean > all;
}

std::vector<Seconds> clean_values(const Samples& samples) {
    std::vector<Seconds> clean;
    clean.reserve(samples.values.size());
    for (std::size_t i = 0; i < samples.values.size(); ++i) {
        if (i >= samples.disturbed.size() || !samples.disturbed[i]) {
            clean.push_back(samples.values[i]);
        }
    }
    return clean;
}

std::vector<Seconds> values_of_estimate(const Samples& samples) {
    std::vector<Seconds> clean = clean_values(samples);
    return are_enough(clean.size(), samples.values.size()) ? clean : samples.values;
}

Estimate estimate(const Samples& samples) {
    const std::vector<Seconds> clean = clean_values(samples);
    const std::size_t disturbed = samples.values.size() - clean.size();
    const bool is_clean = are_enough(clean.size(), samples.values.size());
    Estimate found = estimate(is_clean ? clean : samples.values);
    found.disturbed = disturbed;
    found.use = disturbed == 0 ? SampleUse::all
                : is_clean     ? SampleUse::clean
                               : SampleUse::disturbed;
    return found;
}

double relative_half_width(const Estimate& estimate) {
    const Seconds width = estimate.high - estimate.low;
    return width.value == 0 ? 0 : width / estimate.median / 2;
}

Seconds quantile(std::span<const Seconds> values, double share) {
    check(!values.empty() && share >= 0 && share <= 1, "a quantile needs a sample and a share");
    return quantile_of_sorted(sorted(values), share);
}

Seconds median_of(std::span<const Seconds> values) {
    check(!values.empty(), "a median needs a sample");
    std::vector<Seconds> copy(values.begin(), values.end());
    const auto middle = copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 2);
    std::nth_element(copy.begin(), middle, copy.end());
    if (copy.size() % 2 == 1) {
        return *middle;
    }
    const Seconds lower = *std::max_element(copy.begin(), middle);
    return lower + (*middle - lower) / 2;
}

}  // namespace strata
