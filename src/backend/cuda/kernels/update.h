// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"
#include "op/optimizer.h"

namespace strata::cuda {

// One step of an optimizer over f32 values (op/optimizer.h), by a gradient of this type. Addresses:
// weight, gradient, and the optimizer's states; for Adam also the result of adam_count.
Kernel update_kernel(const Optimizer& optimizer, std::int64_t count, ElementType gradient);

// Adam's step count and the values that follow from it, three floats, updated once an iteration on
// the device, because a recorded iteration is repeated without the host. Address: these floats.
Kernel adam_count(const Adam& optimizer);

}  // namespace strata::cuda
