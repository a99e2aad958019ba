// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/count_steps.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

namespace strata::cuda {

namespace {

using Indices = std::span<const std::size_t>;

// A range around each of the wanted steps, named by the step's index.
class StepRanges : public StepWatch {
public:
    StepRanges(RangeCounter& counter, Indices wanted) : counter_(counter), wanted_(wanted) {}

    void begin(std::size_t index, const Step&) override {
        if (std::ranges::binary_search(wanted_, index)) {
            range_.emplace(counter_, std::to_string(index));
        }
    }
    void end() noexcept override { range_.reset(); }

private:
    RangeCounter& counter_;
    Indices wanted_;
    std::optional<CountingRange> range_;
};

struct Stopped {};

class StepCounting {
public:
    explicit StepCounting(const StepCountingJob& job) : job_(job), at_once_(job.steps.size()) {}

    void run() {
        Indices rest = job_.steps;
        while (!rest.empty()) {
            const Indices steps = rest.first(std::min(at_once_, rest.size()));
            const CountingOutcome outcome = counted(steps);
            if (const auto* trouble = std::get_if<NotCounted>(&outcome)) {
                if (is_too_many(*trouble, steps)) {
                    at_once_ = (steps.size() + 1) / 2;
                    continue;
                }
                return keep_refusal(rest, trouble->sentence);
            }
            keep(steps, std::get<std::vector<CountedRange>>(outcome));
            rest = rest.subspan(steps.size());
        }
    }

private:
    CountingOutcome counted(Indices steps) {
        try {
            const auto counter = job_.make_counter(steps.size());
            return count_ranges(*counter, job_.passes, [&] { iterate(*counter, steps); });
        } catch (const ProfilerError& error) {
            return NotCounted{error.trouble(), error.what()};
        } catch (const Error& error) {
            if (loses_device(error)) {
                throw;
            }
            return NotCounted{ProfilerTrouble::device_failed,
                              fmt::format("an iteration failed: {}", error.what())};
        }
    }

    void iterate(RangeCounter& counter, Indices steps) const {
        if (job_.is_stopped()) {
            throw Stopped{};
        }
        StepRanges ranges(counter, steps);
        job_.iterate(ranges);
    }

    static bool is_too_many(const NotCounted& trouble, Indices steps) {
        return steps.size() > 1 && (trouble.trouble == ProfilerTrouble::out_of_memory ||
                                    trouble.trouble == ProfilerTrouble::ranges_dropped);
    }

    void keep(Indices steps, const std::vector<CountedRange>& ranges) const {
        for (const std::size_t step : steps) {
            const auto found = std::ranges::find(ranges, std::to_string(step), &CountedRange::name);
            job_.keep({step, found == ranges.end()
                                 ? metrics_without_values(*job_.plan, "its range was not counted")
                                 : evaluate(*job_.plan, found->values)});
        }
    }

    void keep_refusal(Indices steps, const std::string& reason) const {
        for (const std::size_t step : steps) {
            job_.keep({step, metrics_without_values(*job_.plan, reason)});
        }
    }

    const StepCountingJob& job_;
    std::size_t at_once_;
};

}  // namespace

void count_steps(const StepCountingJob& job) {
    check(job.plan != nullptr && job.iterate && job.make_counter && job.is_stopped && job.keep,
          "a counting job says what to do");
    check(std::ranges::is_sorted(job.steps), "steps are counted in order");
    try {
        StepCounting(job).run();
    } catch (const Stopped&) {
        // What was counted before is kept; the rest is no longer needed.
    }
}

}  // namespace strata::cuda
