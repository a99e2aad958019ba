// SPDX-License-Identifier: MIT
#include "op/unary.h"

#include "op/rules.h"

namespace strata {

namespace {

bool gives_boolean(UnaryKind kind) {
    return kind == UnaryKind::logical_not || kind == UnaryKind::is_nan ||
           kind == UnaryKind::is_infinite;
}

// Whether the function is a step: its derivative is zero wherever it exists.
bool is_flat(UnaryKind kind) {
    return gives_boolean(kind) || kind == UnaryKind::sign || kind == UnaryKind::floor ||
           kind == UnaryKind::ceil || kind == UnaryKind::round;
}

PassOperations per_element(UnaryKind kind) {
    if (is_flat(kind)) {
        return {.forward = {.compares = 1}};
    }
    switch (kind) {
        case UnaryKind::reciprocal:  // -dy y^2
            return {.forward = {.divides = 1}, .backward_data = {.multiplies = 2}};
        case UnaryKind::negate:
            return {.forward = {.adds = 1}, .backward_data = {.adds = 1}};
        case UnaryKind::absolute:
            return {.forward = {.compares = 1}, .backward_data = {.compares = 1}};
        case UnaryKind::exponential:  // dy y
            return {.forward = {.transcendentals = 1}, .backward_data = {.multiplies = 1}};
        case UnaryKind::logarithm:  // dy / x
            return {.forward = {.transcendentals = 1}, .backward_data = {.divides = 1}};
        case UnaryKind::square_root:  // dy / 2y
            return {.forward = {.transcendentals = 1},
                    .backward_data = {.multiplies = 1, .divides = 1}};
        default:  // a function of similar cost, or a quotient with a root
            return {.forward = {.transcendentals = 1},
                    .backward_data = {.multiplies = 1, .transcendentals = 1}};
    }
}

}  // namespace

std::vector<ParameterShape> Unary::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Unary::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 1);
    return {
        shaped(type, inputs[0].dims, gives_boolean(kind) ? DataType::boolean : inputs[0].dtype)};
}

Operations Unary::operations(const Signature& signature, Pass pass) const {
    const double elements = count_of(signature.outputs[0]);
    const PassOperations each = per_element(kind);
    return pick({.forward = times(elements, each.forward),
                 .backward_data = times(elements, each.backward_data),
                 .backward_weights = times(elements, each.backward_data)},
                signature, pass);
}

BackwardReads Unary::reads() const {
    const bool from_output = kind == UnaryKind::exponential || kind == UnaryKind::square_root ||
                             kind == UnaryKind::reciprocal || kind == UnaryKind::tangent;
    const bool from_nothing = is_flat(kind) || kind == UnaryKind::negate;
    return {.input_for_data = !from_output && !from_nothing,
            .output_for_data = from_output,
            .parameters_for_data = !from_output && !from_nothing};
}

std::string Unary::kind_name() const {
    return std::string(names_of(kind)[static_cast<std::size_t>(kind)]);
}

// A function that is not defined everywhere is given values from its domain.
std::optional<Draw> Unary::draw(const Signature&, std::size_t) const {
    switch (kind) {
        case UnaryKind::logarithm:
        case UnaryKind::square_root:
        case UnaryKind::reciprocal:
            return Draw{Distribution::positive};
        case UnaryKind::inverse_hyperbolic_cosine:
            return Draw{Distribution::positive, 2};
        default:
            return {};
    }
}

}  // namespace strata
