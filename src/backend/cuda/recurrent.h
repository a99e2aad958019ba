// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cudnn/recurrent.h"
#include "backend/cuda/layer_lowering.h"

namespace strata::cuda {

// What steps by cuDNN's functions say of themselves.
inline constexpr std::string_view recurrent_implementation = "cudnn:rnn";

// By cuDNN's functions for recurrent layers. Requires: that they compute exactly the same.
Made library_recurrent(const Layer& layer, const RecurrentProblem& problem);

// By products of matrices and kernels between them.
Made composed_recurrent(const Layer& layer, const Recurrent& op);

}  // namespace strata::cuda
