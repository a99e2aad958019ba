// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/lowering.h"

namespace strata::cuda {

// Lowers the forward pass of a convolution as one operation with its bias and as many following
// layers (Lowering::followers) as cuDNN has a plan for. A batch normalisation is folded into the
// weights and the bias; a sum and a ReLU become part of the operation. The followers' tasks become
// steps within this one. Adds a step if it returns Fused::done. Also returns why some or all of the
// followers, or the bias, stay apart; empty if none does.
enum class Fused { no, done };
struct FusedResult {
    Fused fused = Fused::no;
    std::string apart = {};
};
FusedResult lower_fused_convolution(Lowering& lowering, const Layer& layer, const Format& format);

}  // namespace strata::cuda
