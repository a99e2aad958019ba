// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/kernel.h"
#include "op/optimizer.h"

namespace strata::cuda {

// One step of an optimizer over f32 values (op/optimizer.h). Addresses: weight, gradient, and as
// many states as the optimizer keeps; of Adam also what adam_count leaves.
Kernel update_kernel(const Optimizer& optimizer, std::int64_t count);

// Adam's own count of steps and what follows from it, once an iteration, in three floats: a
// recorded iteration is repeated without anyone to tell it. Address: these.
Kernel adam_count(const Adam& optimizer);

}  // namespace strata::cuda
