// SPDX-License-Identifier: MIT
#include "backend/reference/update.h"

#include "backend/parallel.h"

#include <cmath>

namespace strata {

namespace {

void update(const Sgd& optimizer, std::span<const float> gradient, OptimizerState&,
            std::span<float> weight) {
    parallel_for(weight.size(), 2, [&](std::size_t i) {
        weight[i] = static_cast<float>(weight[i] - optimizer.learning_rate * gradient[i]);
    });
}

void update(const SgdMomentum& optimizer, std::span<const float> gradient, OptimizerState& state,
            std::span<float> weight) {
    parallel_for(weight.size(), 2, [&](std::size_t i) {
        const double m = optimizer.momentum * state.first[i] + gradient[i];
        state.first[i] = static_cast<float>(m);
        weight[i] = static_cast<float>(weight[i] - optimizer.learning_rate * m);
    });
}

void update(const Adam& optimizer, std::span<const float> gradient, OptimizerState& state,
            std::span<float> weight) {
    const AdamStep step = adam_step(optimizer, state.steps);
    parallel_for(weight.size(), 4, [&](std::size_t i) {
        const double g = gradient[i];
        const double m = optimizer.beta1 * state.first[i] + (1 - optimizer.beta1) * g;
        const double v = optimizer.beta2 * state.second[i] + (1 - optimizer.beta2) * g * g;
        state.first[i] = static_cast<float>(m);
        state.second[i] = static_cast<float>(v);
        weight[i] = static_cast<float>(weight[i] - step.rate * m / (std::sqrt(v) + step.epsilon));
    });
}

}  // namespace

OptimizerState initial_state(const Optimizer& optimizer, std::size_t count) {
    const double states = cost_of(optimizer).states;
    return {.first = HostValues(states > 0 ? count : 0),
            .second = HostValues(states > 1 ? count : 0)};
}

void reference_update(const Optimizer& optimizer, std::span<const float> gradient,
                      OptimizerState& state, std::span<float> weight) {
    ++state.steps;
    std::visit([&](const auto& one) { update(one, gradient, state, weight); }, optimizer);
}

double update_tolerance(const Optimizer& optimizer) {
    // Two products and two sums for momentum; for Adam about ten roundings, plus those of the
    // factors.
    const double roundings = std::holds_alternative<Adam>(optimizer) ? 24 : 8;
    return roundings * 0x1p-24;
}

}  // namespace strata
