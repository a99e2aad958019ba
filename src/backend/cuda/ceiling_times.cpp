// SPDX-License-Identifier: MIT
#include "backend/cuda/ceiling_times.h"

#include <algorithm>

namespace strata::cuda {

namespace {

constexpr Seconds time_of_sample{3e-3};
constexpr double max_repetitions = 1000;
constexpr int samples_of_kernel = 20;

Seconds time_of(Machine& machine, const std::function<void()>& enqueue, std::size_t repetitions) {
    machine.stamp(0);
    for (std::size_t i = 0; i < repetitions; ++i) {
        enqueue();
    }
    machine.stamp(1);
    return machine.between(0, 1) / static_cast<double>(repetitions);
}

}  // namespace

std::vector<Seconds> times_of(Machine& machine, const std::function<void()>& enqueue) {
    time_of(machine, enqueue, 1);
    const Seconds once = std::max(time_of(machine, enqueue, 1), Seconds{1e-9});
    const auto repetitions =
        static_cast<std::size_t>(std::clamp(time_of_sample / once, 1.0, max_repetitions));
    std::vector<Seconds> times(samples_of_kernel);
    std::ranges::generate(times, [&] { return time_of(machine, enqueue, repetitions); });
    return times;
}

}  // namespace strata::cuda
