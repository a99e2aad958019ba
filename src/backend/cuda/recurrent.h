// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cudnn/recurrent.h"
#include "backend/cuda/lowering.h"

namespace strata::cuda {

// The name of cuDNN's recurrent functions in a step.
inline constexpr std::string_view recurrent_implementation = "cudnn:rnn";

// Uses cuDNN's functions for recurrent layers. Requires: that they compute exactly the same.
Made library_recurrent(const Layer& layer, const RecurrentProblem& problem);

// Composed of matrix products and our own kernels between them.
Made composed_recurrent(const Layer& layer, const Recurrent& op);

}  // namespace strata::cuda
