// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/machine.h"

#include <vector>

namespace strata::cuda {

// Samples of the time per call of `enqueue`, which puts work on the machine's stream. Each sample
// repeats the work until it takes some milliseconds. Two calls come first: one loads and compiles,
// one estimates the repetitions.
std::vector<Seconds> times_of(Machine& machine, const std::function<void()>& enqueue);

// The median of the second half of a second of nothing else, when clock and temperature have
// settled. `meanwhile` is called at the end, while the machine still works.
Seconds sustained_time_of(Machine& machine, const std::function<void()>& enqueue,
                          const std::function<void()>& meanwhile);

}  // namespace strata::cuda
