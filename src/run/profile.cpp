// SPDX-License-Identifier: MIT
#include "run/profile.h"

#include "base/error.h"
#include "measure/clock.h"
#include "measure/statistics.h"
#include "metric/counting_cost.h"
#include "metric/stalls.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

void record_into(Run& run, Profiling& profiling, const Graph& graph, const Observer& observer) {
    observer.tell("recording kernels");
    const Seconds one = estimate(run.whole.end_to_end.values).median;
    try {
        Recording recording = profiling.record(iterations_to_record(one));
        run.trace = trace_result(recording.trace, recording.iterations,
                                 {std::move(recording.times)}, graph, recording.device);
        if (!run.trace) {
            run.flags.push_back({DoubtKind::not_traced,
                                 "The device's tracer recorded no kernel with plausible time "
                                 "stamps; strata doctor says what it supports here."});
        }
    } catch (const Error& error) {
        run.flags.push_back({DoubtKind::not_traced, error.what()});
    }
}

// Counts into a run, telling what it will cost before and how far it is.
class RunCounting {
public:
    RunCounting(Run& run, const Observer& observer) : run_(run), observer_(observer) {}

    void announce(const CountingPlan& plan) {
        pieces_ = plan.steps.size();
        if (!plan.refusal.empty()) {
            run_.flags.push_back({DoubtKind::not_counted, plan.refusal});
        } else if (observer_.say) {
            observer_.say(cost_sentence({.counters = plan.counters,
                                         .passes = plan.passes,
                                         .pieces = wanted(plan.steps),
                                         .once = time_of(plan.steps)}));
        }
    }

    // After a stop nothing more is wanted.
    bool is_known(const DistinctStep& step) const {
        return observer_.is_stopped() || !run_.steps.at(step.steps.front()).metrics.empty();
    }

    void keep(const CountedStep& counted) {
        for (const std::size_t step : counted.step.steps) {
            run_.steps.at(step).metrics = results_of(counted.metrics);
            run_.steps.at(step).counted_at = counted.step.steps.front();
        }
        ++done_;
        observer_.tell("counting", static_cast<double>(done_) / static_cast<double>(pieces_));
        checkpoint_if_due();
    }

private:
    static std::vector<MetricResult> results_of(std::span<const EvaluatedMetric> metrics) {
        std::vector<MetricResult> results;
        for (const EvaluatedMetric& metric : metrics) {
            results.push_back(result_of(metric.metric.name, metric.metric.unit, metric.value));
        }
        add_stalls(metrics, results);
        return results;
    }

    // The categories that works before ours have counted by, where their parts were counted.
    static void add_stalls(std::span<const EvaluatedMetric> metrics,
                           std::vector<MetricResult>& results) {
        const auto is_part = [](const EvaluatedMetric& one) {
            return one.metric.stall.has_value();
        };
        if (std::ranges::any_of(metrics, is_part)) {
            const auto sums = stalls_by_category(metrics);
            const auto names = names_of(StallCategory{});
            for (std::size_t i = 0; i < sums.size(); ++i) {
                results.push_back(result_of(metric_of_stalls(names[i]), "%", sums[i]));
            }
        }
    }

    static MetricResult result_of(std::string name, std::string unit, const MetricValue& value) {
        MetricResult result{.name = std::move(name), .unit = std::move(unit)};
        if (const auto* number = std::get_if<double>(&value)) {
            result.value = *number;
        } else {
            result.reason = std::get<NoValue>(value).reason;
        }
        return result;
    }

    std::size_t wanted(std::span<const DistinctStep> steps) const {
        return static_cast<std::size_t>(std::ranges::count_if(
            steps, [&](const DistinctStep& step) { return !is_known(step); }));
    }

    // Of the first of each distinct step; nothing where one of them has no time.
    std::optional<Seconds> time_of(std::span<const DistinctStep> steps) const {
        Seconds sum;
        for (const DistinctStep& step : steps) {
            const auto* samples = std::get_if<Samples>(&run_.steps.at(step.steps.front()).time);
            if (samples == nullptr || samples->values.empty()) {
                return {};
            }
            sum += is_known(step) ? Seconds{} : estimate(samples->values).median;
        }
        return sum;
    }

    // A step's counters may take less than storing them.
    void checkpoint_if_due() {
        constexpr Seconds between{1};
        if (observer_.checkpoint && clock_.now() - last_ > between) {
            observer_.checkpoint(run_);
            last_ = clock_.now();
        }
    }

    Run& run_;
    const Observer& observer_;
    SteadyClock clock_;
    Seconds last_ = clock_.now();
    std::size_t pieces_ = 0;
    std::size_t done_ = 0;
};

void count_into(Run& run, Profiling& profiling, std::span<const MetricSet> sets,
                const Observer& observer) {
    RunCounting counting(run, observer);
    profiling.count({.sets = sets,
                     .announce = [&](const CountingPlan& plan) { counting.announce(plan); },
                     .is_known = [&](const DistinctStep& step) { return counting.is_known(step); },
                     .keep = [&](const CountedStep& step) { counting.keep(step); }});
}

}  // namespace

std::size_t iterations_to_record(Seconds one) {
    constexpr double minimum = 3, maximum = 11;
    constexpr Seconds in_all{2};
    const double fitting = one > Seconds{} ? in_all / one : maximum;
    return static_cast<std::size_t>(std::clamp(fitting, minimum, maximum));
}

void profile_into(Run& run, Profiling* profiling, const Graph& graph, const Job& job,
                  const Observer& observer) {
    const bool asks = job.tracing == Tracing::done || !job.counters.empty();
    if (!asks || observer.is_stopped()) {
        return;
    }
    if (profiling == nullptr) {
        run.flags.push_back({DoubtKind::not_traced,
                             fmt::format("The backend {} was built without a profiler, so there "
                                         "are neither kernels nor counters; strata doctor says "
                                         "what is missing.",
                                         run.settings.backend)});
        return;
    }
    if (job.tracing == Tracing::done && !run.trace) {
        record_into(run, *profiling, graph, observer);
    }
    if (!job.counters.empty() && !observer.is_stopped()) {
        count_into(run, *profiling, job.counters, observer);
    }
    if (observer.is_stopped()) {
        run.state = RunState::partial;
    }
}

}  // namespace strata
