// SPDX-License-Identifier: MIT
#pragma once

#include "backend/profiling.h"
#include "base/error.h"

#include <string>
#include <vector>

namespace strata::testing {

// A device whose tracer sees one kernel for each step, a microsecond each with a gap of 100 ns
// between, and whose counters say for every metric how many steps were counted before. It refuses
// where it is told to.
class ScriptedProfiling : public Profiling {
public:
    explicit ScriptedProfiling(std::span<const Step> steps) : steps_(steps.begin(), steps.end()) {}

    std::string trace_refusal = {};
    std::string warning = {};
    std::int64_t kernel_ns = 1000;
    std::string count_refusal = {};
    std::vector<std::size_t> counted = {};  // steps, in order
    bool attached = false;                  // since before

    Recording record(std::size_t iterations) override {
        if (!trace_refusal.empty()) {
            throw Error(trace_refusal);
        }
        Recording recording{.device = "scripted", .warning = warning};
        for (std::size_t i = 0; i < iterations; ++i) {
            record_iteration(i, recording);
        }
        return recording;
    }

    void count(const CountingJob& job) override {
        std::vector<std::size_t> wanted;
        for (std::size_t step = 0; step < steps_.size(); ++step) {
            if (steps_[step].runs() && !job.is_known(step)) {
                wanted.push_back(step);
            }
        }
        job.announce({.steps = wanted,
                      .counters = 1,
                      .passes = count_refusal.empty() ? 2u : 0u,
                      .refusal = count_refusal});
        for (const std::size_t step : wanted) {
            counted.push_back(step);
            job.keep({step, metrics_of(job)});
        }
    }

    bool is_attached() const override { return attached; }

private:
    void record_iteration(std::size_t number, Recording& recording) const {
        const std::uint64_t iteration = next_id(recording);
        recording.trace.ranges.push_back({.id = iteration});
        recording.iterations.push_back(iteration);
        recording.times.push_back(Seconds{2e-3});
        for (std::size_t step = 0; step < steps_.size(); ++step) {
            add_kernel(iteration, number, step, recording);
        }
    }

    void add_kernel(std::uint64_t iteration, std::size_t number, std::size_t step,
                    Recording& recording) const {
        const std::uint64_t range = next_id(recording);
        const auto call = static_cast<std::uint32_t>(range);
        const auto place = static_cast<std::int64_t>(2 * number * steps_.size() + step);
        const std::int64_t start = 1'000'000 + place * (kernel_ns + 100);
        recording.trace.ranges.push_back({.id = range,
                                          .parent = iteration,
                                          .task = Task{steps_[step].layer, steps_[step].pass}});
        recording.trace.calls.push_back({call, range});
        recording.trace.spans.push_back(
            {.name = "void scripted<" + std::to_string(step) + ">(float*)",
             .stream = 7,
             .start = Nanoseconds(start),
             .end = Nanoseconds(start + kernel_ns),
             .correlation = call,
             .launch = LaunchShape{.grid = {4, 2, 1}, .block = {128, 1, 1}, .registers = 32}});
    }

    static std::uint64_t next_id(const Recording& recording) {
        return recording.trace.ranges.size() + 1;
    }

    std::vector<EvaluatedMetric> metrics_of(const CountingJob& job) const {
        std::vector<EvaluatedMetric> metrics;
        for (const MetricSet& set : job.sets) {
            for (const Metric& metric : set.metrics) {
                metrics.push_back({metric, count_refusal.empty()
                                               ? MetricValue(static_cast<double>(counted.size()))
                                               : MetricValue(NoValue{count_refusal})});
            }
        }
        return metrics;
    }

    std::vector<Step> steps_;
};

}  // namespace strata::testing
