// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/lowering.h"

namespace strata::cuda {

// A gradient that a kernel adds to in no given order: summed in f32, whatever it is stored as, for
// many may come together. `add` gets the view of the sum and makes the call that adds.
std::vector<Call> scattered_gradient(Lowering& lowering, const TensorView& gradient,
                                     const std::function<Call(const TensorView& sum)>& add);

}  // namespace strata::cuda
