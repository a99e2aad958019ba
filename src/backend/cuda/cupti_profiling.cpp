// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti_profiling.h"

#include "backend/cuda/cupti/count_steps.h"
#include "backend/cuda/cupti/gpu_range_counter.h"
#include "backend/cuda/cupti/metric_host.h"
#include "backend/cuda/cupti/tracer.h"
#include "backend/cuda/profiling.h"

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

    void begin(const Step& step) override { tracer_.begin_range(Task{step.layer, step.pass}); }
    void end() noexcept override { tracer_.end_range_or_note(); }

private:
    CudaExecutable& executable_;
    Tracer& tracer_;
};

// Runs an iteration within a range of its own; returns the range.
std::uint64_t run_in_range(CudaExecutable& executable, Tracer& tracer, Seconds& time) {
    const TracedRange range(tracer);
    time = executable.run();
    return range.id();
}

CountingPlan refused_plan(std::span<const DistinctStep> steps, const std::string& why) {
    return {.steps = {steps.begin(), steps.end()}, .refusal = why};
}

// The requested metrics, not planned for any particular chip.
MetricPlan unplanned(std::span<const MetricSet> sets) {
    return plan_metrics(sets, "", [](std::string_view) { return std::nullopt; });
}

// Stores the reason why counting is impossible for every metric of every step.
void keep_refusal(std::span<const DistinctStep> steps, const CountingJob& job,
                  const std::string& why) {
    job.announce(refused_plan(steps, why));
    const MetricPlan plan = unplanned(job.sets);
    for (const DistinctStep& step : steps) {
        if (!job.is_known(step)) {
            job.keep({step, metrics_without_values(plan, why)});
        }
    }
}

}  // namespace

CuptiLibrary cupti_library() {
    return {.open_activity = [] { return open_activity_calls(); },
            .open_device = [] { return open_counting_device(); },
            .make_counter =
                [](const CountingDevice& device, const CounterConfig& config) {
                    return std::make_unique<GpuRangeCounter>(device, config, 1);
                }};
}

// The first two iterations are excluded. One of them records the iteration's graph within the
// steps' ranges. If nothing ran before, libraries load what they need in the other.
Recording CuptiProfiling::record(std::size_t iterations) {
    const auto calls = library_.open_activity();
    Tracer tracer(*calls);
    Recording recording{.device = executable_.device().name};
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
    const auto steps = executable_.distinct_steps();
    try {
        const CountingDevice device = library_.open_device();
        const MetricHost host(device.chip, device.availability);
        const MetricPlan plan = plan_metrics(
            job.sets, device.chip, [&](std::string_view counter) { return host.missing(counter); });
        const CounterConfig config(device.chip, plan.counters, device.availability);
        job.announce({.steps = {steps.begin(), steps.end()},
                      .counters = plan.counters.size(),
                      .passes = config.passes()});
        count_steps(executable_,
                    {.steps = steps,
                     .plan = &plan,
                     .passes = config.passes(),
                     .make_counter = [&] { return library_.make_counter(device, config); },
                     .is_known = job.is_known,
                     .keep = job.keep});
    } catch (const ProfilerError& error) {
        keep_refusal(steps, job, error.what());
    }
}

std::string counting_refusal() {
    try {
        open_counting_device();
        return {};
    } catch (const ProfilerError& error) {
        return error.what();
    }
}

std::unique_ptr<Profiling> make_profiling(CudaExecutable& executable) {
    return std::make_unique<CuptiProfiling>(executable, cupti_library());
}

}  // namespace strata::cuda
