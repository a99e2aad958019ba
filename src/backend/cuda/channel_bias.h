// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/lowering.h"

namespace strata::cuda {

// y += bias of its channel. The bias is f32.
Call add_channel_bias(const Place& y, const Place& bias);

// sums = the sum of dy over all but the channels.
std::vector<Call> channel_sums(Lowering& lowering, const Place& dy, const Place& sums);

}  // namespace strata::cuda
