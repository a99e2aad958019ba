// SPDX-License-Identifier: MIT
#include "op/optimizer.h"

#include "base/error.h"
#include "base/text.h"
#include "op/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

constexpr std::array names = {SgdMomentum::type, Sgd::type, Adam::type};

UpdateCost cost(const SgdMomentum&) {
    return {};
}

UpdateCost cost(const Sgd&) {
    return {.states = 0, .operations = {.multiply_adds = 1}};
}

// m and v: a multiply-add each, with products (1 - beta1) g and (1 - beta2) g g; then the root, the
// sum with epsilon, the quotient and the weight's multiply-add.
UpdateCost cost(const Adam&) {
    return {
        .states = 2,
        .operations = {
            .multiply_adds = 3, .adds = 1, .multiplies = 3, .divides = 1, .transcendentals = 1}};
}

}  // namespace

AdamStep adam_step(const Adam& adam, std::int64_t step) {
    const auto t = static_cast<double>(step);
    const double root = std::sqrt(1 - std::pow(adam.beta2, t));
    return {adam.learning_rate * root / (1 - std::pow(adam.beta1, t)), adam.epsilon * root};
}

std::string_view name_of(const Optimizer& optimizer) {
    return std::visit([](const auto& one) { return one.type; }, optimizer);
}

std::span<const std::string_view> optimizer_names() {
    return names;
}

Optimizer find_optimizer(std::string_view name) {
    for (const Optimizer& known : {Optimizer(SgdMomentum{}), Optimizer(Sgd{}), Optimizer(Adam{})}) {
        if (name_of(known) == name) {
            return known;
        }
    }
    throw Error(fmt::format("there is no optimizer '{}': choose one of {}", printable(name),
                            fmt::join(names, ", ")),
                ExitCode::usage);
}

UpdateCost cost_of(const Optimizer& optimizer) {
    return std::visit([](const auto& one) { return cost(one); }, optimizer);
}

Work update_work(const Signature& signature, const UpdateCost& cost) {
    double trained = 0;
    Bytes bytes;
    for (const Operand& operand : signature.inputs) {
        if (operand.role == Role::parameter) {
            trained += count_of(operand.tensor);
            bytes += operand.tensor.bytes();
        }
    }
    return {.operations = times(trained, cost.operations),
            .read = (2 + cost.states) * bytes,
            .written = (1 + cost.states) * bytes};
}

}  // namespace strata
