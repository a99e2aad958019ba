// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/lowering.h"
#include "backend/lower/fused.h"

namespace strata::cuda {

// Lowers the forward pass of a convolution as one operation with its bias and as many following
// layers (Lowering::followers) as cuDNN has a plan for. A batch normalisation is folded into the
// weights and the bias; a sum and a ReLU become part of the operation. The followers' tasks become
// steps within this one. Adds a step if it returns Fused::done.
FusedResult lower_fused_convolution(Lowering& lowering, const Layer& layer, const Format& format);

}  // namespace strata::cuda
