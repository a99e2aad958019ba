// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/count_steps.h"
#include "backend/cuda/cupti/gpu_range_counter.h"
#include "backend/cuda/cupti/metric_host.h"
#include "backend/cuda/cupti_profiling.h"
#include "backend/cuda/profiling.h"

namespace strata::cuda {

CuptiLibrary cupti_library() {
    return {.warning = cupti_warning,
            .open_activity = [] { return open_activity_calls(); },
            .open_device =
                [] {
                    begin_counting();
                    return open_counting_device();
                },
            .make_counter =
                [](const CountingDevice& device, const CounterConfig& config, std::size_t ranges) {
                    return std::make_unique<GpuRangeCounter>(device, config, ranges);
                },
            .is_attached = is_cupti_attached};
}

void count_with(const CuptiLibrary& library, CudaExecutable& executable,
                const std::vector<std::size_t>& steps, const CountingJob& job) {
    const CountingDevice device = library.open_device();
    const MetricHost host(device.chip, device.availability);
    const MetricPlan plan = plan_metrics(
        job.sets, device.chip, [&](std::string_view counter) { return host.missing(counter); });
    const CounterConfig config(device.chip, plan.counters, device.availability);
    job.announce({.steps = steps, .counters = plan.counters.size(), .passes = config.passes()});
    count_steps(
        {.steps = steps,
         .plan = &plan,
         .passes = config.passes(),
         .iterate = [&](StepWatch& watch) { executable.run_watched(watch); },
         .make_counter =
             [&](std::size_t ranges) { return library.make_counter(device, config, ranges); },
         .is_stopped = job.is_stopped,
         .keep = job.keep});
}

std::string counting_refusal() {
    try {
        open_counting_device();
        return {};
    } catch (const ProfilerError& error) {
        return error.what();
    }
}

}  // namespace strata::cuda
