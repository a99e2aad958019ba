// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/queue.h"

#include <cstddef>
#include <functional>

namespace strata::cuda {

// The index of the fastest of `count` ways, by `time_of`. A way that throws DeviceError for a
// library's refusal or for lack of scratch memory is excluded; if all do, the result is the first,
// which will then report it itself.
std::size_t fastest_of(std::size_t count, const std::function<double(std::size_t)>& time_of);

// The time in milliseconds of the work that `enqueue` puts on the queue: the minimum of three runs
// after a warm-up.
double best_time(const Queue& queue, const std::function<void()>& enqueue);

}  // namespace strata::cuda
