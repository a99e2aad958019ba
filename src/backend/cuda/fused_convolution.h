// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/lowering.h"

namespace strata::cuda {

// The forward pass of a convolution, in one operation with its bias and as many of the layers that
// may follow (Lowering::followers) as cuDNN has a plan for: a batch normalisation in the weights
// and the bias, a sum and a ReLU in the operation. Their tasks become steps within this one.
// Returns why some or all of the followers, or the bias, stay apart; empty where none does. Adds a
// step where it returns Fused::done.
enum class Fused { no, done };
struct FusedResult {
    Fused fused = Fused::no;
    std::string apart = {};
};
FusedResult lower_fused_convolution(Lowering& lowering, const Layer& layer, const Format& format);

}  // namespace strata::cuda
