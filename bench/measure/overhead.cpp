// SPDX-License-Identifier: MIT
// The overhead of measuring: a time stamp, and the sampler around an iteration that only stamps its
// parts.
#include "measure/clock.h"
#include "measure/sampler.h"

#include <benchmark/benchmark.h>

namespace strata {
namespace {

void time_stamp(benchmark::State& state) {
    SteadyClock clock;
    for (auto _ : state) {
        benchmark::DoNotOptimize(clock.now());
    }
}
BENCHMARK(time_stamp);

// An iteration without work; run_timed stamps as a backend does.
class EmptyIteration final : public Iteration {
public:
    explicit EmptyIteration(std::size_t parts) : parts_(parts) {}

    Seconds run() override { return {1e-6}; }

    Seconds run_timed(std::span<Seconds> parts) override {
        const Seconds begin = clock_.now();
        Seconds last = begin;
        for (Seconds& part : parts) {
            const Seconds now = clock_.now();
            part = now - last;
            last = now;
        }
        return last - begin;
    }

    std::size_t parts() const override { return parts_; }

private:
    SteadyClock clock_;
    std::size_t parts_;
};

// All of the sampler's own work per instrumented iteration: stamping, storing, checking.
void sampling_an_empty_iteration(benchmark::State& state) {
    EmptyIteration iteration(static_cast<std::size_t>(state.range(0)));
    SteadyClock clock;
    const Policy policy{.warmup = 0, .min_time = {0}, .max_time = {0.05}, .precision = 0};
    const std::function<Seconds()> calibration = [] { return Seconds{1e-6}; };
    std::size_t samples = 0;
    for (auto _ : state) {
        samples += sample(iteration, policy, calibration, clock).instrumented.values.size();
    }
    state.counters["per_iteration"] = benchmark::Counter(
        static_cast<double>(samples), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(sampling_an_empty_iteration)->Arg(1)->Arg(30)->Arg(300)->Unit(benchmark::kMillisecond);

void calibration_loop(benchmark::State& state) {
    const CalibrationLoop loop(1);
    for (auto _ : state) {
        benchmark::DoNotOptimize(loop.run());
    }
}
BENCHMARK(calibration_loop)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace strata
