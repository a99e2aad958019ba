// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/queue.h"

#include <cstddef>
#include <functional>

namespace strata::cuda {

// Which of `count` ways to do the same takes the least time, as `time_of` tells it. One that throws
// DeviceError of a library's refusal is out; where all are, the first is left to say so itself.
std::size_t fastest_of(std::size_t count, const std::function<double(std::size_t)>& time_of);

// Milliseconds that the work which `enqueue` puts on the queue takes: it is done once unmeasured
// and three times more, of which the quickest counts.
double best_time(const Queue& queue, const std::function<void()>& enqueue);

}  // namespace strata::cuda
