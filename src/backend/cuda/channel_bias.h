// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/lowering.h"

namespace strata::cuda {

// y += the bias of each element's channel. The bias is f32.
Call add_channel_bias(const TensorView& y, const TensorView& bias);

// sums = dy summed over every axis but the channels.
std::vector<Call> channel_sums(Lowering& lowering, const TensorView& dy, const TensorView& sums);

}  // namespace strata::cuda
