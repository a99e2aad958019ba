// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/operators.h"
#include "backend/reference/views.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace strata {

namespace {

std::vector<Broadcast> broadcasts_of(const ReferenceOperands& operands) {
    std::vector<Broadcast> broadcasts;
    for (const Operand& operand : operands.signature.inputs) {
        broadcasts.emplace_back(operand.tensor.dims, operands.output_dims(0));
    }
    return broadcasts;
}

// The operand elements from which element `index` of the result is computed.
void gather(const ReferenceOperands& operands, std::span<const Broadcast> broadcasts,
            std::size_t index, std::span<double> elements) {
    for (std::size_t j = 0; j < elements.size(); ++j) {
        elements[j] = operands.inputs[j][broadcasts[j](index)];
    }
}

double combine(ElementwiseKind kind, double a, double b) {
    switch (kind) {
        case ElementwiseKind::add:
            return a + b;
        case ElementwiseKind::multiply:
            return a * b;
        case ElementwiseKind::subtract:
            return a - b;
        case ElementwiseKind::divide:
            return a / b;
        case ElementwiseKind::maximum:
            return std::max(a, b);
        case ElementwiseKind::minimum:
            return std::min(a, b);
        case ElementwiseKind::power:
            return std::pow(a, b);
        case ElementwiseKind::remainder:
            return a - b * std::floor(a / b);
        case ElementwiseKind::prelu:
            return a > 0 ? a : a * b;
        case ElementwiseKind::equal:
            return a == b;
        case ElementwiseKind::less:
            return a < b;
        case ElementwiseKind::less_or_equal:
            return a <= b;
        case ElementwiseKind::greater:
            return a > b;
        case ElementwiseKind::greater_or_equal:
            return a >= b;
        case ElementwiseKind::logical_and:
            return a != 0 && b != 0;
        case ElementwiseKind::logical_or:
            return a != 0 || b != 0;
        case ElementwiseKind::logical_xor:
            return (a != 0) != (b != 0);
    }
    return 0;
}

double combine_all(ElementwiseKind kind, std::span<const double> elements) {
    double result = elements[0];
    for (const double next : elements.subspan(1)) {
        result = combine(kind, result, next);
    }
    return result;
}

double product_of_others(std::span<const double> elements, std::size_t operand) {
    double result = 1;
    for (std::size_t j = 0; j < elements.size(); ++j) {
        result *= j == operand ? 1 : elements[j];
    }
    return result;
}

bool is_first(std::span<const double> elements, std::size_t operand, double value) {
    return std::ranges::find(elements, value) - elements.begin() ==
           static_cast<std::ptrdiff_t>(operand);
}

// d(result) / d(elements[operand])
double slope(ElementwiseKind kind, std::span<const double> elements, std::size_t operand) {
    switch (kind) {
        case ElementwiseKind::add:
            return 1;
        case ElementwiseKind::subtract:
            return operand == 0 ? 1 : -1;
        case ElementwiseKind::multiply:
            return product_of_others(elements, operand);
        case ElementwiseKind::divide:
            return operand == 0 ? 1 / elements[1] : -elements[0] / (elements[1] * elements[1]);
        case ElementwiseKind::maximum:
        case ElementwiseKind::minimum:
            return is_first(elements, operand, combine_all(kind, elements)) ? 1 : 0;
        case ElementwiseKind::power:
            return operand == 0 ? elements[1] * std::pow(elements[0], elements[1] - 1)
                                : std::pow(elements[0], elements[1]) * std::log(elements[0]);
        case ElementwiseKind::remainder:
            return operand == 0 ? 1 : -std::floor(elements[0] / elements[1]);
        case ElementwiseKind::prelu:
            return operand == 0 ? (elements[0] > 0 ? 1 : elements[1]) : std::min(elements[0], 0.0);
        default:
            return 0;
    }
    return 0;
}

void write_gradient(const Elementwise& op, const ReferenceOperands& operands,
                    std::span<const Broadcast> broadcasts, std::size_t operand) {
    const std::span gradient = operands.input_gradients[operand];
    std::vector<double> sums(gradient.size()), elements(broadcasts.size());
    for (std::size_t i = 0; i < operands.output_gradients[0].size(); ++i) {
        gather(operands, broadcasts, i, elements);
        sums[broadcasts[operand](i)] +=
            operands.output_gradients[0][i] * slope(op.kind, elements, operand);
    }
    std::ranges::transform(sums, gradient.begin(),
                           [](double sum) { return static_cast<float>(sum); });
}

}  // namespace

void reference_forward(const Elementwise& op, const ReferenceOperands& operands) {
    const auto broadcasts = broadcasts_of(operands);
    // Integers are held as floats, but their quotient is truncated towards zero.
    const bool whole =
        op.kind == ElementwiseKind::divide && !is_floating(operands.signature.outputs[0].dtype);
    constexpr std::size_t block = 1 << 12;
    const std::size_t count = operands.outputs[0].size();
    parallel_for((count + block - 1) / block, block * 8, [&](std::size_t number) {
        std::vector<double> elements(broadcasts.size());
        for (std::size_t i = number * block; i < std::min(count, (number + 1) * block); ++i) {
            gather(operands, broadcasts, i, elements);
            const double result = combine_all(op.kind, elements);
            operands.outputs[0][i] = static_cast<float>(whole ? std::trunc(result) : result);
        }
    });
}

void reference_backward(const Elementwise& op, const ReferenceOperands& operands) {
    const auto broadcasts = broadcasts_of(operands);
    const auto elements = static_cast<double>(operands.output_gradients[0].size());
    parallel_for(broadcasts.size(), 8 * elements, [&](std::size_t operand) {
        if (operands.wants_gradient(operand)) {
            write_gradient(op, operands, broadcasts, operand);
        }
    });
}

}  // namespace strata
