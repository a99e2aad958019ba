// SPDX-License-Identifier: MIT
#include "backend/reference/row_normalization.h"

#include "backend/parallel.h"
#include "backend/reference/operators.h"

#include <cmath>
#include <vector>

namespace strata {

namespace {

using Index = std::int64_t;

std::span<const float> row_of(const RowNormalization& n, std::span<const float> values, Index row) {
    return values.subspan(static_cast<std::size_t>(row * n.width),
                          static_cast<std::size_t>(n.width));
}

double scale_at(const RowNormalization& n, const ReferenceOperands& operands, Index row, Index i) {
    return n.scale == 0 ? 1.0 : operands.inputs[n.scale][n.parameter_of(row, i)];
}

double shift_at(const RowNormalization& n, const ReferenceOperands& operands, Index row, Index i) {
    return n.shift == 0 ? 0.0 : operands.inputs[n.shift][n.parameter_of(row, i)];
}

// y = scale * (x - mean) / sqrt(variance + epsilon) + shift
void forward(const RowNormalization& n, const ReferenceOperands& operands) {
    parallel_for(n.rows, 8.0 * static_cast<double>(n.width), [&](Index row) {
        const RowMoments moments = moments_of(n, operands.inputs[0], row);
        const auto x = row_of(n, operands.inputs[0], row);
        for (Index i = 0; i < n.width; ++i) {
            const double normalized =
                (x[static_cast<std::size_t>(i)] - moments.mean) * moments.inverse;
            operands.outputs[0][static_cast<std::size_t>(row * n.width + i)] = static_cast<float>(
                scale_at(n, operands, row, i) * normalized + shift_at(n, operands, row, i));
        }
    });
}

// With g = dy * scale and x^ the normalised value: dx = inverse * (g - mean(g) - x^ mean(g x^)),
// where mean(g) is left out if the mean was not taken off (Ba et al. 2016).
void data_gradient(const RowNormalization& n, const ReferenceOperands& operands, Index row) {
    const RowMoments moments = moments_of(n, operands.inputs[0], row);
    const auto x = row_of(n, operands.inputs[0], row);
    const auto dy = row_of(n, operands.output_gradients[0], row);
    std::vector<double> scaled(dy.size()), normalized(dy.size());
    double of_gradient = 0, of_product = 0;
    for (std::size_t i = 0; i < dy.size(); ++i) {
        scaled[i] = dy[i] * scale_at(n, operands, row, static_cast<Index>(i));
        normalized[i] = (x[i] - moments.mean) * moments.inverse;
        of_gradient += n.centred ? scaled[i] : 0;
        of_product += scaled[i] * normalized[i];
    }
    const auto width = static_cast<double>(n.width);
    const auto start = static_cast<std::size_t>(row * n.width);
    for (std::size_t i = 0; i < dy.size(); ++i) {
        operands.input_gradients[0][start + i] =
            static_cast<float>(moments.inverse * (scaled[i] - of_gradient / width -
                                                  normalized[i] * of_product / width));
    }
}

// The sum over all elements that share a parameter of dy, or of dy times the normalised value.
void parameter_gradient(const RowNormalization& n, const ReferenceOperands& operands,
                        std::size_t operand) {
    std::vector<double> sums(operands.input_gradients[operand].size());
    for (Index row = 0; row < n.rows; ++row) {
        const RowMoments moments = moments_of(n, operands.inputs[0], row);
        const auto x = row_of(n, operands.inputs[0], row);
        const auto dy = row_of(n, operands.output_gradients[0], row);
        for (std::size_t i = 0; i < dy.size(); ++i) {
            const double factor =
                operand == n.scale ? (x[i] - moments.mean) * moments.inverse : 1.0;
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

RowNormalization rows_of(const LayerNormalization& op, const Signature& signature) {
    const Dims& x = signature.inputs[0].tensor.dims;
    const auto rank = static_cast<Index>(x.size());
    RowNormalization n;
    n.width = product(
        std::span(x).subspan(static_cast<std::size_t>(op.axis < 0 ? op.axis + rank : op.axis)));
    n.rows = product(x) / n.width;
    n.epsilon = op.epsilon;
    n.centred = op.kind == NormalizationKind::standard;
    n.scale = op.scale ? 1 : 0;
    n.shift = op.shift ? n.scale + 1 : 0;
    return n;
}

RowNormalization rows_of(const GroupNormalization& op, const Signature& signature) {
    const Dims& x = signature.inputs[0].tensor.dims;
    RowNormalization n;
    n.groups = op.groups == 0 ? x[1] : op.groups;
    n.rows = x[0] * n.groups;
    n.width = product(x) / n.rows;
    n.inner = product(x) / x[0] / x[1];
    n.epsilon = op.epsilon;
    n.scale = op.affine ? 1 : 0;
    n.shift = op.affine ? 2 : 0;
    return n;
}

RowMoments moments_of(const RowNormalization& n, std::span<const float> x, Index row) {
    RowMoments moments;
    const auto values = row_of(n, x, row);
    const auto width = static_cast<double>(n.width);
    for (const float value : values) {
        moments.mean += n.centred ? value / width : 0;
    }
    for (const float value : values) {
        moments.variance += (value - moments.mean) * (value - moments.mean) / width;
    }
    moments.inverse = 1 / std::sqrt(moments.variance + n.epsilon);
    return moments;
}

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
