// SPDX-License-Identifier: MIT
#include "analyze/budget.h"

#include "measure/iteration.h"
#include "record/completeness.h"
#include "record/step_times.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

namespace strata {

namespace {

std::vector<const StepResult*> all_steps(const Run& run) {
    std::vector<const StepResult*> steps;
    std::ranges::transform(run.steps, std::back_inserter(steps),
                           [](const StepResult& step) { return &step; });
    return steps;
}

// The samples of a step that ran.
struct StepSamples {
    const Samples* samples = nullptr;
    bool is_average = false;  // one value for every iteration (SeenIn)
};

std::vector<StepSamples> measured_samples(std::span<const StepResult* const> steps) {
    std::vector<StepSamples> found;
    for (const auto* step : steps) {
        const auto* samples = std::get_if<Samples>(&step->time);
        if (samples && !samples->values.empty()) {
            found.push_back({samples, step->seen_in.has_value()});
        }
    }
    return found;
}

// The number of iterations of which the steps have samples.
std::size_t iterations_of(const std::vector<StepSamples>& steps) {
    const auto sampled = std::ranges::find(steps, false, &StepSamples::is_average);
    return sampled == steps.end() ? 1 : sampled->samples->values.size();
}

bool sampled_together(const std::vector<StepSamples>& steps) {
    return std::ranges::all_of(steps, [count = iterations_of(steps)](const StepSamples& step) {
        return step.is_average || step.samples->values.size() == count;
    });
}

// An iteration's sum is disturbed if one of its steps is.
Samples sums_by_iteration(const std::vector<StepSamples>& steps) {
    SampledIteration sampled;
    const std::size_t count = iterations_of(steps);
    sampled.instrumented.values.resize(count);
    for (const StepSamples& step : steps) {
        sampled.parts.push_back(
            step.is_average ? Samples{std::vector<Seconds>(count, step.samples->values.front())}
                            : *step.samples);
    }
    return sum_of_parts(sampled);
}

bool has_clean_iterations(const Samples& sums) {
    return are_enough(clean_values(sums).size(), sums.values.size());
}

bool are_conclusive(const std::optional<Estimate>& a, const std::optional<Estimate>& b) {
    return a && b && a->use != SampleUse::disturbed && b->use != SampleUse::disturbed;
}

// The sum is as doubtful as its most doubtful step.
Estimate sum_of_medians(std::span<const std::optional<Estimate>> steps) {
    Estimate sum;
    sum.samples = std::numeric_limits<std::size_t>::max();
    for (const auto& one : steps) {
        if (one) {
            sum.median += one->median;
            sum.low += one->low;
            sum.high += one->high;
            sum.minimum += one->minimum;
            sum.samples = std::min(sum.samples, one->samples);
            sum.disturbed += one->disturbed;
            sum.use = std::max(sum.use, one->use);
        }
    }
    return sum;
}

// Sums by iteration if enough iterations were undisturbed; else nothing.
std::optional<Estimate> sum_by_iteration(const std::vector<StepSamples>& steps) {
    if (!sampled_together(steps)) {
        return std::nullopt;
    }
    const Samples sums = sums_by_iteration(steps);
    return has_clean_iterations(sums) ? std::optional(estimate(sums)) : std::nullopt;
}

std::optional<Estimate> estimate_of(const Samples& samples) {
    return samples.values.empty() ? std::nullopt : std::optional(estimate(samples));
}

// The relative rounding error of a sum of steps is at most this.
constexpr double last_digits = 1e-12;

constexpr Seconds unbounded{std::numeric_limits<double>::infinity()};

std::optional<Difference> difference(const std::optional<Estimate>& a,
                                     const std::optional<Estimate>& b) {
    if (!are_conclusive(a, b)) {
        return std::nullopt;
    }
    const Seconds time = a->median - b->median;
    return a->samples < 2 || b->samples < 2 ? Difference{time, -unbounded, unbounded}
                                            : Difference{time, a->low - b->high, a->high - b->low};
}

// The time between the steps, iteration by iteration if both have samples of the same iterations.
std::optional<Difference> between_steps(const Run& run, const Budget& budget) {
    const auto samples = measured_samples(all_steps(run));
    const auto& wholes = run.whole.instrumented.values;
    if (!are_conclusive(budget.instrumented, budget.steps) || wholes.size() < 2 ||
        !sampled_together(samples) || iterations_of(samples) != wholes.size()) {
        return difference(budget.instrumented, budget.steps);
    }
    Samples gaps = sums_by_iteration(samples);
    for (std::size_t i = 0; i < wholes.size(); ++i) {
        gaps.values[i] = wholes[i] - gaps.values[i];
    }
    const Estimate gap = estimate(gaps);
    const Seconds rounding = last_digits * budget.instrumented->median;
    return Difference{budget.instrumented->median - budget.steps->median, gap.low - rounding,
                      gap.high + rounding};
}

std::optional<Ratio> ratio(const std::optional<Difference>& part,
                           const std::optional<Estimate>& whole) {
    if (!part || !whole || whole->median <= Seconds{0}) {
        return std::nullopt;
    }
    return Ratio{part->time / whole->median, part->low / whole->median, part->high / whole->median};
}

}  // namespace

std::optional<Estimate> sum_of(std::span<const StepResult* const> steps) {
    const auto samples = measured_samples(steps);
    if (samples.empty()) {
        return std::nullopt;
    }
    if (const auto sum = sum_by_iteration(samples)) {
        return sum;
    }
    std::vector<std::optional<Estimate>> times;
    for (const StepSamples& step : samples) {
        times.push_back(estimate_of(*step.samples));
        times.back()->samples = step.is_average ? iterations_of(samples) : times.back()->samples;
    }
    return sum_of_medians(times);
}

std::vector<Seconds> sums_of(std::span<const StepResult* const> steps) {
    const auto samples = measured_samples(steps);
    if (samples.empty() || !sampled_together(samples)) {
        return {};
    }
    Samples sums = sums_by_iteration(samples);
    return has_clean_iterations(sums) ? clean_values(sums) : std::move(sums.values);
}

std::optional<Estimate> sum_of_steps(const Run& run) {
    const auto samples = measured_samples(all_steps(run));
    if (samples.empty()) {
        return std::nullopt;
    }
    const auto sum = sum_by_iteration(samples);
    return sum ? sum : sum_of_medians(step_times(run));
}

std::string apart_of(const Run& run) {
    const auto told = run.provenance.find("backend.apart");
    return told == run.provenance.end() ? std::string() : told->second;
}

std::optional<Estimate> end_to_end_of(const Run& run) {
    return is_incomplete(run) ? std::nullopt : estimate_of(run.whole.end_to_end);
}

Budget budget_of(const Run& run) {
    Budget budget;
    budget.is_whole = !is_incomplete(run);
    budget.empty_step = run.empty_step;
    budget.steps_timed = measured_samples(all_steps(run)).size();
    budget.apart = apart_of(run);
    budget.is_on_gpu = run.ran_on_gpu();
    budget.end_to_end = end_to_end_of(run);
    budget.instrumented = budget.is_whole ? estimate_of(run.whole.instrumented) : std::nullopt;
    budget.steps = sum_of_steps(run);
    budget.is_disturbed = is_inconclusive(budget.end_to_end) ||
                          is_inconclusive(budget.instrumented) || is_inconclusive(budget.steps);
    budget.between = between_steps(run, budget);
    budget.is_comparable = run.settings.policy.caches == CacheState::as_left;
    if (!budget.is_comparable) {
        return budget;
    }
    budget.stamps = difference(budget.instrumented, budget.end_to_end);
    budget.unexplained = difference(budget.end_to_end, budget.steps);
    budget.overhead = ratio(budget.stamps, budget.end_to_end);
    budget.residual = ratio(budget.unexplained, budget.end_to_end);
    return budget;
}

}  // namespace strata
