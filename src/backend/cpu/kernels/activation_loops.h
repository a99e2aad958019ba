// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/narrow.h"
#include "op/activation.h"

#include <cstddef>

namespace strata::cpu {

// The functions that the library lacks: hard_sigmoid, softsign, selu, celu, thresholded_relu.
bool has_activation_loops(ActivationKind kind);
// These, and hard_swish, whose gradient the library computes by reference loops.
bool has_gradient_loops(ActivationKind kind);

// y = f(x) and dx = dy f'(x), spread over the threads of OpenMP; dx may be dy.
void activate(const Activation& op, const float* x, float* y, std::size_t count);
void activate_gradient(const Activation& op, const Elements& x, const Elements& dy,
                       const Elements& dx, std::size_t count);

}  // namespace strata::cpu
