// SPDX-License-Identifier: MIT
#include "backend/cuda/ceiling_times.h"

#include "measure/statistics.h"

#include <algorithm>

namespace strata::cuda {

namespace {

constexpr Seconds time_of_sample{3e-3};
constexpr double max_repetitions = 1000;
constexpr int samples_of_kernel = 20;

constexpr Seconds sustained{1};
constexpr Seconds time_of_sustained_sample{50e-3};  // the pauses between them are microseconds

Seconds time_of(Machine& machine, const std::function<void()>& enqueue, std::size_t repetitions,
                const std::function<void()>& meanwhile = {}) {
    machine.stamp(0);
    for (std::size_t i = 0; i < repetitions; ++i) {
        enqueue();
    }
    machine.stamp(1);
    if (meanwhile) {
        meanwhile();
    }
    return machine.between(0, 1) / static_cast<double>(repetitions);
}

// So many that they take this long; after one that loads and compiles.
std::size_t repetitions_of(Machine& machine, const std::function<void()>& enqueue, Seconds wanted) {
    time_of(machine, enqueue, 1);
    const Seconds once = std::max(time_of(machine, enqueue, 1), Seconds{1e-9});
    return static_cast<std::size_t>(std::clamp(wanted / once, 1.0, max_repetitions));
}

}  // namespace

std::vector<Seconds> times_of(Machine& machine, const std::function<void()>& enqueue) {
    const std::size_t repetitions = repetitions_of(machine, enqueue, time_of_sample);
    std::vector<Seconds> times(samples_of_kernel);
    std::ranges::generate(times, [&] { return time_of(machine, enqueue, repetitions); });
    return times;
}

Seconds sustained_time_of(Machine& machine, const std::function<void()>& enqueue,
                          const std::function<void()>& meanwhile) {
    const std::size_t repetitions = repetitions_of(machine, enqueue, time_of_sustained_sample);
    std::vector<Seconds> late;
    Seconds passed;
    while (passed < sustained) {
        const Seconds time = time_of(machine, enqueue, repetitions);
        passed += time * static_cast<double>(repetitions);
        if (passed > sustained / 2) {
            late.push_back(time);
        }
    }
    time_of(machine, enqueue, repetitions, meanwhile);
    return median_of(late);
}

}  // namespace strata::cuda
