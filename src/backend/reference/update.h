// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

#include <cstdint>
#include <span>

namespace strata {

// What an optimizer remembers of one parameter; all zero before its first step.
struct OptimizerState {
    HostValues first;   // momentum; of Adam the mean of the gradients
    HostValues second;  // of Adam the mean of their squares
    std::int64_t steps = 0;
};

// Only what the optimizer needs has room, as many values as `count`.
OptimizerState initial_state(const Optimizer& optimizer, std::size_t count);

// One step by the equations of op/optimizer.h, in double.
void reference_update(const Optimizer& optimizer, std::span<const float> gradient,
                      OptimizerState& state, std::span<float> weight);

// How far the same in f32 may be off, relative to the largest weight, whatever the activations are.
double update_tolerance(const Optimizer& optimizer);

}  // namespace strata
