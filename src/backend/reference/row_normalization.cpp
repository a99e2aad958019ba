// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/operators.h"
#include "op/normalization_statistics.h"

#include <cmath>
#include <vector>

namespace strata {

namespace {

using Index = std::int64_t;

double scale_at(const RowNormalization& n, const ReferenceOperands& operands, Index row, Index i) {
    return n.scale == 0 ? 1.0 : operands.inputs[n.scale][n.parameter_of(row, i)];
}

double shift_at(const RowNormalization& n, const ReferenceOperands& operands, Index row, Index i) {
    return n.shift == 0 ? 0.0 : operands.inputs[n.shift][n.parameter_of(row, i)];
}

// y = scale * (x - mean) / sqrt(variance + epsilon) + shift
void forward(const RowNormalization& n, const ReferenceOperands& operands) {
    parallel_for(n.rows, 8.0 * static_cast<double>(n.width), [&](Index row) {
        const Moments moments = moments_of(n, operands.inputs[0], row);
        const double inverse = moments.inverse_deviation(n.epsilon);
        const auto x = n.row_of(operands.inputs[0], row);
        for (Index i = 0; i < n.width; ++i) {
            const double normalized = (x[static_cast<std::size_t>(i)] - moments.mean) * inverse;
            operands.outputs[0][static_cast<std::size_t>(row * n.width + i)] = static_cast<float>(
                scale_at(n, operands, row, i) * normalized + shift_at(n, operands, row, i));
        }
    });
}

// With g = dy * scale and x^ the normalised value: dx = inverse * (g - mean(g) - x^ mean(g x^)),
// without mean(g) if the mean was not subtracted (Ba et al. 2016).
void data_gradient(const RowNormalization& n, const ReferenceOperands& operands, Index row) {
    const Moments moments = moments_of(n, operands.inputs[0], row);
    const double inverse = moments.inverse_deviation(n.epsilon);
    const auto x = n.row_of(operands.inputs[0], row);
    const auto dy = n.row_of(operands.output_gradients[0], row);
    std::vector<double> scaled(dy.size()), normalized(dy.size());
    double of_gradient = 0, of_product = 0;
    for (std::size_t i = 0; i < dy.size(); ++i) {
        scaled[i] = dy[i] * scale_at(n, operands, row, static_cast<Index>(i));
        normalized[i] = (x[i] - moments.mean) * inverse;
        of_gradient += n.centred ? scaled[i] : 0;
        of_product += scaled[i] * normalized[i];
    }
    const auto width = static_cast<double>(n.width);
    const auto start = static_cast<std::size_t>(row * n.width);
    for (std::size_t i = 0; i < dy.size(); ++i) {
        operands.input_gradients[0][start + i] = static_cast<float>(
            inverse * (scaled[i] - of_gradient / width - normalized[i] * of_product / width));
    }
}

// The sum of dy, or of dy times the normalised value, over all elements that share a parameter.
void parameter_gradient(const RowNormalization& n, const ReferenceOperands& operands,
                        std::size_t operand) {
    std::vector<double> sums(operands.input_gradients[operand].size());
    for (Index row = 0; row < n.rows; ++row) {
        const Moments moments = moments_of(n, operands.inputs[0], row);
        const double inverse = moments.inverse_deviation(n.epsilon);
        const auto x = n.row_of(operands.inputs[0], row);
        const auto dy = n.row_of(operands.output_gradients[0], row);
        for (std::size_t i = 0; i < dy.size(); ++i) {
            const double factor = operand == n.scale ? (x[i] - moments.mean) * inverse : 1.0;
            sums[n.parameter_of(row, static_cast<Index>(i))] += dy[i] * factor;
        }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
        operands.input_gradients[operand][i] = static_cast<float>(sums[i]);
    }
}

void backward(const RowNormalization& n, const ReferenceOperands& operands) {
    if (operands.wants_gradient(0)) {
        parallel_for(n.rows, 16.0 * static_cast<double>(n.width),
                     [&](Index row) { data_gradient(n, operands, row); });
    }
    for (std::size_t operand = 1; operand < operands.inputs.size(); ++operand) {
        if (operands.wants_gradient(operand)) {
            parameter_gradient(n, operands, operand);
        }
    }
}

}  // namespace

void reference_forward(const LayerNormalization& op, const ReferenceOperands& operands) {
    forward(rows_of(op, operands.signature), operands);
}

void reference_backward(const LayerNormalization& op, const ReferenceOperands& operands) {
    backward(rows_of(op, operands.signature), operands);
}

void reference_forward(const GroupNormalization& op, const ReferenceOperands& operands) {
    forward(rows_of(op, operands.signature), operands);
}

void reference_backward(const GroupNormalization& op, const ReferenceOperands& operands) {
    backward(rows_of(op, operands.signature), operands);
}

}  // namespace strata
