// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/count_steps.h"

#include "base/error.h"

#include <fmt/format.h>

#include <optional>

namespace strata::cuda {

namespace {

class StepCounting {
public:
    StepCounting(Executable& executable, const StepCountingJob& job)
        : executable_(executable), job_(job) {}

    void run() {
        for (const DistinctStep& step : job_.steps) {
            if (!job_.is_known(step)) {
                job_.keep({.step = step, .metrics = metrics_of(step)});
            }
        }
    }

private:
    std::vector<EvaluatedMetric> metrics_of(const DistinctStep& step) {
        if (forbidden_) {
            return metrics_without_values(*job_.plan, *forbidden_);
        }
        try {
            return evaluated(counted(step));
        } catch (const ProfilerError& error) {
            return refused({error.trouble(), error.what()});
        } catch (const Error& error) {
            return metrics_without_values(*job_.plan,
                                          fmt::format("the step failed: {}", error.what()));
        }
    }

    CountingOutcome counted(const DistinctStep& step) {
        const auto counter = job_.make_counter();
        return count_ranges(*counter, job_.passes, [&] {
            const CountingRange range(*counter, "step");
            executable_.run_step(step.steps.front());
        });
    }

    std::vector<EvaluatedMetric> evaluated(const CountingOutcome& outcome) {
        if (const auto* trouble = std::get_if<NotCounted>(&outcome)) {
            return refused(*trouble);
        }
        const auto& ranges = std::get<std::vector<CountedRange>>(outcome);
        return ranges.size() == 1
                   ? evaluate(*job_.plan, ranges.front().values)
                   : metrics_without_values(
                         *job_.plan, fmt::format("one range was counted as {}", ranges.size()));
    }

    std::vector<EvaluatedMetric> refused(const NotCounted& trouble) {
        if (forbids_all(trouble.trouble)) {
            forbidden_ = trouble.sentence;
        }
        return metrics_without_values(*job_.plan, trouble.sentence);
    }

    Executable& executable_;
    const StepCountingJob& job_;
    std::optional<std::string> forbidden_;
};

}  // namespace

bool forbids_all(ProfilerTrouble trouble) {
    switch (trouble) {
        case ProfilerTrouble::out_of_memory:
        case ProfilerTrouble::ranges_dropped:
        case ProfilerTrouble::endless_passes:
        case ProfilerTrouble::hardware_busy:
        case ProfilerTrouble::refused:
            return false;
        default:
            return true;
    }
}

std::vector<EvaluatedMetric> metrics_without_values(const MetricPlan& plan,
                                                    const std::string& reason) {
    CounterValues values;
    for (const std::string& counter : plan.counters) {
        values.emplace(counter, NoValue{reason});
    }
    return evaluate(plan, values);
}

void count_steps(Executable& executable, const StepCountingJob& job) {
    check(job.plan != nullptr && job.make_counter && job.is_known && job.keep,
          "a counting job says what to do");
    StepCounting(executable, job).run();
}

}  // namespace strata::cuda
