// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/lowering.h"

namespace strata::cuda {

// A gradient to which a kernel adds in no given order. It is summed in f32 whatever its storage
// type, because one element may receive many terms. `add` gets the view of the sum and makes the
// call that adds.
std::vector<Call> scattered_gradient(Lowering& lowering, const TensorView& gradient,
                                     const std::function<Call(const TensorView& sum)>& add);

}  // namespace strata::cuda
