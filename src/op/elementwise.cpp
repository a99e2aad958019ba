// SPDX-License-Identifier: MIT
#include "op/elementwise.h"

#include "op/rules.h"

#include <algorithm>
#include <functional>

namespace strata {

namespace {

// One application of the function, or of the gradient's factor, to one element.
Operations one_step(ElementwiseKind kind) {
    switch (kind) {
        case ElementwiseKind::add:
        case ElementwiseKind::subtract:
            return {.adds = 1};
        case ElementwiseKind::multiply:
            return {.multiplies = 1};
        case ElementwiseKind::divide:
            return {.divides = 1};
        case ElementwiseKind::maximum:
        case ElementwiseKind::minimum:
            return {.compares = 1};
        case ElementwiseKind::power:
            return {.transcendentals = 1};
        case ElementwiseKind::remainder:
            return {.adds = 1, .divides = 1};
        case ElementwiseKind::prelu:
            return {.multiplies = 1, .compares = 1};
        default:
            return {.compares = 1};
    }
}

// Gradient of operand `index` per output element: a sum passes dy on (a sign is free), a product
// multiplies by the others, a quotient has da = dy / b and db = -dy * y / b, a maximum compares
// with the others, and a power has da = dy b a^(b-1) and db = dy y log a.
Operations gradient_step(ElementwiseKind kind, std::size_t operands, std::size_t index) {
    if (kind == ElementwiseKind::add || kind == ElementwiseKind::subtract) {
        return {};
    }
    if (kind == ElementwiseKind::divide) {
        return index == 0 ? Operations{.divides = 1} : Operations{.multiplies = 1, .divides = 1};
    }
    if (kind == ElementwiseKind::power) {
        return {.multiplies = 2, .transcendentals = 1};
    }
    return times(static_cast<double>(operands - 1), one_step(kind));
}

// Gradients of the chosen operands; a broadcast operand sums the gradients of its copies.
Operations gradients(ElementwiseKind kind, const Signature& signature,
                     const std::function<bool(const Operand&)>& chosen) {
    const double outputs = count_of(signature.outputs[0]);
    Operations sum;
    for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
        if (chosen(signature.inputs[i])) {
            sum += times(outputs, gradient_step(kind, signature.inputs.size(), i));
            sum.adds += outputs - count_of(signature.inputs[i].tensor);
        }
    }
    return sum;
}

}  // namespace

std::vector<ParameterShape> Elementwise::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Elementwise::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 2, is_binary(kind) ? 2 : any_number);
    std::vector<Dims> shapes;
    for (const Tensor& input : inputs) {
        shapes.push_back(input.dims);
    }
    const DataType dtype = gives_boolean(kind) ? DataType::boolean : inputs[0].dtype;
    return {shaped(type, broadcast(type, shapes), dtype)};
}

Operations Elementwise::operations(const Signature& signature, Pass pass) const {
    const double steps = static_cast<double>(signature.inputs.size() - 1);
    const auto is_parameter = [](const Operand& o) { return o.role == Role::parameter; };
    return pick({.forward = times(steps * count_of(signature.outputs[0]), one_step(kind)),
                 .backward_data = gradients(kind, signature, receives_gradient),
                 .backward_weights = gradients(kind, signature, is_parameter)},
                signature, pass);
}

BackwardReads Elementwise::reads() const {
    if (kind == ElementwiseKind::add || kind == ElementwiseKind::subtract) {
        return {};
    }
    return {.input_for_data = true,
            .parameters_for_data = true,
            .input_for_weights = true,
            .only_others_for_data = kind == ElementwiseKind::multiply};
}

std::string Elementwise::kind_name() const {
    return std::string(names_of(kind)[static_cast<std::size_t>(kind)]);
}

// The base of a power is drawn where the power is defined. A parameter is a scale, an exponent, a
// bias or the slopes of a parametric ReLU.
std::optional<Draw> Elementwise::draw(const Signature& signature, std::size_t operand) const {
    if (kind == ElementwiseKind::power && operand == 0) {
        return Draw{Distribution::positive};
    }
    if (!is_owned(signature.inputs[operand].role)) {
        return {};
    }
    switch (kind) {
        case ElementwiseKind::multiply:
        case ElementwiseKind::divide:
        case ElementwiseKind::power:
        case ElementwiseKind::remainder:
            return Draw{Distribution::one};
        case ElementwiseKind::prelu:
            return Draw{Distribution::uniform, 0.25};
        default:
            return Draw{Distribution::zero};
    }
}

// Only sums and differences can cancel.
SumShape Elementwise::forward_sum(const OperandValues& values) const {
    if (kind != ElementwiseKind::add && kind != ElementwiseKind::subtract) {
        return {};
    }
    double largest = 0;
    for (std::size_t i = 0; i < values.inputs.size(); ++i) {
        largest = std::max(largest, values.rms(i));
    }
    return {static_cast<double>(values.inputs.size()), largest};
}

// The gradient of a broadcast operand sums over its copies.
SumShape Elementwise::gradient_sum(const OperandValues& values, std::size_t operand) const {
    double others = 1;
    for (std::size_t i = 0; i < values.inputs.size() && kind == ElementwiseKind::multiply; ++i) {
        others *= i == operand ? 1 : values.rms(i);
    }
    return {values.output_elements() / values.elements(operand), values.rms_gradient() * others};
}

}  // namespace strata
