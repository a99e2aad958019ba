// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/program.h"

namespace strata::cuda {

// sum = the sum of views with equal layout, a few per call; the first may be `sum` itself.
// Requires: two terms or more.
std::vector<Call> sum_calls(const std::vector<TensorView>& terms, const TensorView& sum);

}  // namespace strata::cuda
