// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/kernel.h"
#include "op/optimizer.h"

namespace strata::cuda {

// One step of an optimizer over f32 values (op/optimizer.h). Addresses: weight, gradient, and as
// many states as the optimizer keeps; Adam has one more, of three floats, where it counts its steps
// itself: a recorded iteration is repeated without anyone to tell it.
std::vector<Kernel> update_kernels(const Optimizer& optimizer, std::int64_t count);

}  // namespace strata::cuda
