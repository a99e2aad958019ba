// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

#include <span>
#include <string_view>
#include <variant>

namespace strata {

// Stochastic gradient descent with momentum: m = momentum * m + g; w = w - rate * m.
struct SgdMomentum {
    static constexpr std::string_view type = "momentum";
    double learning_rate = 0.01;
    double momentum = 0.9;
};

// Plain stochastic gradient descent: w = w - rate * g.
struct Sgd {
    static constexpr std::string_view type = "sgd";
    double learning_rate = 0.01;
};

// Kingma and Ba 2015, Algorithm 1, in step t = 1, 2, ...:
//   m = beta1 * m + (1 - beta1) * g;  v = beta2 * v + (1 - beta2) * g^2;
//   w = w - rate * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon).
struct Adam {
    static constexpr std::string_view type = "adam";
    double learning_rate = 0.001;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
};

// Both bias corrections moved out of the loop over the weights, with the same result:
//   w = w - rate * m / (sqrt(v) + epsilon).
struct AdamStep {
    double rate = 0;
    double epsilon = 0;
};
AdamStep adam_step(const Adam& adam, std::int64_t step);

// How gradients update the trained values.
using Optimizer = std::variant<SgdMomentum, Sgd, Adam>;

std::string_view name_of(const Optimizer& optimizer);

// THE list of names; the first, momentum, is the default everywhere.
std::span<const std::string_view> optimizer_names();

// The optimizer of that name with its usual rates. Throws Error with exit code usage and the known
// names.
Optimizer find_optimizer(std::string_view name);

// The cost of an update per trained value; the default is momentum's.
struct UpdateCost {
    double states = 1;  // values kept between iterations, in the weight's type
    Operations operations = {.multiply_adds = 2};
};

UpdateCost cost_of(const Optimizer& optimizer);

// The update of every parameter of a signature: reads weight, gradient and states, writes weight
// and states.
Work update_work(const Signature& signature, const UpdateCost& cost);

}  // namespace strata
