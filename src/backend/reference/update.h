// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

#include <cstdint>
#include <span>

namespace strata {

// An optimizer's state for one parameter, all zero before its first step.
struct OptimizerState {
    HostValues first;   // momentum; for Adam the mean of the gradients
    HostValues second;  // for Adam the mean of their squares
    std::int64_t steps = 0;
};

// Only the states that the optimizer needs have room, for `count` values each.
OptimizerState initial_state(const Optimizer& optimizer, std::size_t count);

// One step by the equations of op/optimizer.h, in double.
void reference_update(const Optimizer& optimizer, std::span<const float> gradient,
                      OptimizerState& state, std::span<float> weight);

// The error bound of the same step in f32, relative to the largest weight, whatever the activations
// are.
double update_tolerance(const Optimizer& optimizer);

}  // namespace strata
