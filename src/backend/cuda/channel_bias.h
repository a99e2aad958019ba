// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/lowering.h"

namespace strata::cuda {

// y += bias of its channel. The bias is f32.
Call add_channel_bias(const TensorView& y, const TensorView& bias);

// sums = the sum of dy over all but the channels.
std::vector<Call> channel_sums(Lowering& lowering, const TensorView& dy, const TensorView& sums);

}  // namespace strata::cuda
