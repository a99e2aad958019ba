// SPDX-License-Identifier: MIT
#include "run/profile.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"
#include "measure/clock.h"
#include "measure/statistics.h"
#include "metric/plan.h"
#include "record/traced_algorithm.h"
#include "run/refusal.h"
#include "run/steps.h"
#include "trace/iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>

namespace strata {

namespace {

// The budget of a trace closes over its own window, so that window is compared with an unrecorded
// iteration.
void compare_with_untraced(Run& run) {
    constexpr double tolerated = 0.05;
    const auto& windows = run.trace->windows.values;
    const auto& plain = run.whole.end_to_end.values;
    if (windows.empty() || plain.empty()) {
        return;
    }
    const double change = estimate(windows).median / estimate(plain).median - 1;
    if (std::abs(change) > tolerated) {
        run.flags.push_back(
            {DoubtKind::traced_differs,
             fmt::format("The recorded iterations are {:.0f} % {} than those that were timed "
                         "without recording; the kernels' shares of the time may differ too.",
                         100 * std::abs(change), change > 0 ? "longer" : "shorter")});
    }
}

void record_into(Run& run, Profiling& profiling, const Graph& graph, const Observer& observer) {
    observer.tell("recording kernels");
    const Seconds one = estimate(run.whole.end_to_end.values).median;
    try {
        Recording recording = profiling.record(iterations_to_record(one));
        if (!recording.warning.empty()) {
            run.flags.push_back({DoubtKind::faulty_profiler, recording.warning});
        }
        if (!calls_tell_launches_apart(recording.trace, recording.iterations)) {
            run.flags.push_back(
                {DoubtKind::faulty_profiler,
                 "The tracer's records do not say which launch of the iteration each kernel "
                 "belongs to (a known defect of CUPTI before CUDA 13.1 update 1), so the recorded "
                 "iterations were separated by the recurrence of their kernels."});
        }
        run.trace = trace_result(recording.trace, recording.iterations,
                                 {std::move(recording.times)}, graph, recording.device);
        if (run.trace) {
            compare_with_untraced(run);
            add_traced_algorithms(run);
        }
        if (!run.trace) {
            run.flags.push_back({DoubtKind::not_traced,
                                 "The device's tracer recorded no kernel with plausible time "
                                 "stamps; strata doctor says what it supports here."});
        }
    } catch (const Error& error) {
        if (loses_device(error)) {
            throw;
        }
        run.flags.push_back({DoubtKind::not_traced, error.what()});
    }
}

// Counts into a run; announces the cost first and reports progress.
class RunCounting {
public:
    RunCounting(Run& run, const Observer& observer) : run_(run), observer_(observer) {}

    void announce(const CountingPlan& plan) {
        if (!plan.refusal.empty()) {
            run_.flags.push_back({DoubtKind::not_counted, plan.refusal});
        } else if (observer_.say && !plan.steps.empty()) {
            observer_.say(cost_sentence({.counters = plan.counters,
                                         .passes = plan.passes,
                                         .steps = plan.steps.size(),
                                         .iteration = time_of_iteration()}));
        }
        observer_.tell("counting");
    }

    bool is_known(std::size_t step) const { return !run_.steps.at(step).metrics.empty(); }

    void keep(const CountedStep& counted) {
        run_.steps.at(counted.step).metrics = results_of(counted.metrics);
        run_.steps.at(counted.step).counted_at = counted.step;
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

    // The categories of earlier publications, if their parts were counted.
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

    std::optional<Seconds> time_of_iteration() const {
        const auto& samples = run_.whole.end_to_end.values;
        return samples.empty() ? std::nullopt : std::optional(estimate(samples).median);
    }

    // Counting a step may take less time than storing its counters.
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
};

void count_into(Run& run, Profiling& profiling, std::span<const MetricSet> sets,
                const Observer& observer) {
    RunCounting counting(run, observer);
    profiling.count({.sets = sets,
                     .announce = [&](const CountingPlan& plan) { counting.announce(plan); },
                     .is_known = [&](std::size_t step) { return counting.is_known(step); },
                     .is_stopped = [&] { return observer.is_stopped(); },
                     .keep = [&](const CountedStep& step) { counting.keep(step); }});
}

std::string name_of_step(const StepResult& step) {
    return fmt::format("{} {}", printable(step.layer), name_of(step.pass));
}

bool are_the_same(const StepResult& a, const StepResult& b) {
    return a.layer == b.layer && a.pass == b.pass && a.kind == b.kind && a.problem == b.problem;
}

// Steps whose implementation when profiled differs from the timed run.
std::vector<std::size_t> changed_steps(const Run& run, std::span<const StepResult> now) {
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (run.steps[i].implementation != now[i].implementation ||
            (run.steps[i].algorithm != now[i].algorithm && !is_of_trace(run.steps[i]))) {
            changed.push_back(i);
        }
    }
    return changed;
}

void add_doubt_about(const std::vector<std::size_t>& changed, std::span<const StepResult> now,
                     Run& run) {
    if (!changed.empty()) {
        const StepResult& first = now[changed.front()];
        run.flags.push_back(
            {DoubtKind::traced_differs,
             fmt::format("{} of {} steps were implemented differently when they were recorded or "
                         "counted than when they were timed (the first is {}: {} {}).",
                         changed.size(), now.size(), name_of_step(first),
                         printable(first.implementation), printable(first.algorithm))});
    }
}

void profile_prepared(Run& run, Executable& executable, const Job& job, const Observer& observer) {
    executable.prepare_caches(job.policy.caches);
    const auto now = step_results(*job.plan, executable.steps(), {});
    if (!std::ranges::equal(run.steps, now, are_the_same)) {
        run.flags.push_back(
            {DoubtKind::not_traced,
             "When the network was prepared again for its profile, its steps differed from the "
             "timed ones, so nothing was recorded or counted; run it alone."});
        return;
    }
    add_doubt_about(changed_steps(run, now), now, run);
    profile_into(run, executable.profiling(), job, observer);
}

}  // namespace

bool asks_for_profile(const Job& job) {
    return job.tracing == Tracing::done || !job.counters.empty();
}

Job without_profile(Job job) {
    job.tracing = Tracing::omitted;
    job.counters.clear();
    return job;
}

void profile_timed(Run& run, const Job& job, Backend& backend, const Observer& observer) {
    observer.tell("preparing");
    const auto refuse = [&](const char* why) {
        run.flags.push_back(
            {DoubtKind::not_traced,
             fmt::format("The network could not be prepared again for its profile: {}", why)});
    };
    std::unique_ptr<Executable> executable;
    try {
        executable = prepare(job, backend, MemoryReuse::shared);
    } catch (const Error& error) {
        return loses_device(error) ? end_by_loss(run, error.what()) : refuse(error.what());
    } catch (const std::bad_alloc&) {
        return refuse("memory is exhausted");
    }
    profile_prepared(run, *executable, job, observer);
}

std::size_t iterations_to_record(Seconds one) {
    constexpr double minimum = 3, maximum = 11;
    constexpr Seconds in_all{2};
    const double fitting = one > Seconds{} ? in_all / one : maximum;
    return static_cast<std::size_t>(std::clamp(fitting, minimum, maximum));
}

void profile_into(Run& run, Profiling* profiling, const Job& job, const Observer& observer) {
    if (!asks_for_profile(job)) {
        return;
    }
    if (observer.is_stopped()) {
        run.state = RunState::partial;
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
    try {
        if (job.tracing == Tracing::done && !run.trace) {
            record_into(run, *profiling, job.plan->graph, observer);
        }
        if (!job.counters.empty() && !observer.is_stopped()) {
            count_into(run, *profiling, job.counters, observer);
        }
    } catch (const DeviceFailure& failure) {
        if (failure.fate() == DeviceFate::usable) {
            throw;
        }
        end_by_loss(run, failure.what());  // its times are kept
    }
    if (observer.is_stopped()) {
        run.state = RunState::partial;
    }
}

}  // namespace strata
