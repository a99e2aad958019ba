// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti_profiling.h"

#include "backend/cuda/cupti/tracer.h"
#include "backend/cuda/profiling.h"

#include <algorithm>
#include <iterator>

namespace strata::cuda {

namespace {

// Puts each step's calls into a range for its layer and pass, during its own lifetime.
class TracedSteps : public StepWatch {
public:
    TracedSteps(CudaExecutable& executable, Tracer& tracer)
        : executable_(executable), tracer_(tracer) {
        executable_.watch(this);
    }
    TracedSteps(const TracedSteps&) = delete;
    TracedSteps& operator=(const TracedSteps&) = delete;
    ~TracedSteps() override { executable_.watch(nullptr); }

    void begin(std::size_t, const Step& step) override {
        tracer_.begin_range(Task{step.layer, step.pass});
    }
    void end() noexcept override { tracer_.end_range_or_note(); }

private:
    CudaExecutable& executable_;
    Tracer& tracer_;
};

// Runs an iteration within its own range; returns the range.
std::uint64_t run_in_range(CudaExecutable& executable, Tracer& tracer, Seconds& time) {
    const TracedRange range(tracer);
    time = executable.run();
    return range.id();
}

// Every requested metric, for no particular chip.
MetricPlan unplanned(std::span<const MetricSet> sets) {
    return plan_metrics(sets, "", [](std::string_view) { return std::nullopt; });
}

std::vector<std::size_t> wanted_steps(const CudaExecutable& executable, const CountingJob& job) {
    std::vector<std::size_t> wanted;
    std::ranges::copy_if(executable.working_steps(), std::back_inserter(wanted),
                         [&](std::size_t step) { return !job.is_known(step); });
    return wanted;
}

// Whatever prevents counting becomes the reason of every metric of every step.
void keep_refusal(const std::vector<std::size_t>& steps, const CountingJob& job,
                  const std::string& why) {
    job.announce({.steps = steps, .refusal = why});
    const MetricPlan plan = unplanned(job.sets);
    for (const std::size_t step : steps) {
        job.keep({step, metrics_without_values(plan, why)});
    }
}

}  // namespace

// The first two iterations are excluded. One of them records the iteration's graph within the
// steps' ranges. If nothing ran before, libraries load what they need in the other.
Recording CuptiProfiling::record(std::size_t iterations) {
    const auto calls = library_.open_activity();
    Tracer tracer(*calls);
    Recording recording{.device = executable_.device().name, .warning = library_.warning()};
    {
        const TracedSteps steps(executable_, tracer);
        executable_.run();
        executable_.run();
        for (std::size_t i = 0; i < iterations; ++i) {
            recording.iterations.push_back(
                run_in_range(executable_, tracer, recording.times.emplace_back()));
        }
        executable_.wait();
    }
    recording.trace = tracer.finish();
    return recording;
}

void CuptiProfiling::count(const CountingJob& job) {
    const auto steps = wanted_steps(executable_, job);
    try {
        count_with(library_, executable_, steps, job);
    } catch (const ProfilerError& error) {
        keep_refusal(steps, job, error.what());
    }
}

std::unique_ptr<Profiling> make_profiling(CudaExecutable& executable) {
    return std::make_unique<CuptiProfiling>(executable, cupti_library());
}

}  // namespace strata::cuda
