// SPDX-License-Identifier: MIT
#include "op/normalization.h"

#include <algorithm>

namespace strata {

namespace {

Conditioning conditioning_of(const RowNormalization& rows, const OperandValues& values) {
    double scale = rows.scale == 0 ? 1 : 0;
    for (std::size_t i = 0; rows.scale != 0 && i < values.inputs[rows.scale].size(); ++i) {
        scale = std::max(scale, static_cast<double>(std::abs(values.inputs[rows.scale][i])));
    }
    Conditioning worst;
    for (std::int64_t row = 0; row < rows.rows; ++row) {
        worst.include(moments_of(rows, values.inputs[0], row), scale, rows.epsilon);
    }
    return worst;
}

}  // namespace

RowNormalization rows_of(const LayerNormalization& op, const Signature& signature) {
    const Dims& x = signature.inputs[0].tensor.dims;
    const auto rank = static_cast<std::int64_t>(x.size());
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

StatisticGroups groups_of(const Signature& signature) {
    const Dims& x = signature.inputs[0].tensor.dims;
    const std::int64_t statistics = signature.inputs[1].tensor.elements();
    return {x[0], statistics, product(x) / x[0] / statistics};
}

Moments moments_of(const RowNormalization& rows, std::span<const float> x, std::int64_t row) {
    Moments moments;
    const auto values = rows.row_of(x, row);
    const auto width = static_cast<double>(rows.width);
    for (const float value : values) {
        moments.mean += rows.centred ? value / width : 0;
    }
    for (const float value : values) {
        moments.variance += (value - moments.mean) * (value - moments.mean) / width;
    }
    return moments;
}

Moments moments_of(const StatisticGroups& groups, std::span<const float> x, std::int64_t g) {
    Moments moments;
    groups.for_each_element(g, [&](std::size_t i) { moments.mean += x[i]; });
    moments.mean /= groups.count();
    groups.for_each_element(g, [&](std::size_t i) {
        moments.variance += (x[i] - moments.mean) * (x[i] - moments.mean);
    });
    moments.variance /= groups.count();
    return moments;
}

void Conditioning::include(const Moments& moments, double scale, double epsilon) {
    const double inverse = moments.inverse_deviation(epsilon);
    const double root = std::sqrt(moments.mean * moments.mean + moments.variance) * inverse;
    normalized = std::max(normalized, root);
    factor = std::max(factor, scale * inverse);
    forward = std::max(forward, scale * root);
}

SumShape forward_sum(const RowNormalization& rows, const OperandValues& values) {
    return mean_of(static_cast<double>(rows.width), conditioning_of(rows, values).forward);
}

SumShape gradient_sum(const RowNormalization& rows, const OperandValues& values,
                      std::size_t operand) {
    const Conditioning worst = conditioning_of(rows, values);
    const double normalized = std::max(1.0, worst.normalized);
    if (operand == 0) {
        return mean_of(static_cast<double>(rows.width),
                       values.rms_gradient() * worst.factor * normalized);
    }
    return {values.elements(0) / values.elements(operand),
            values.rms_gradient() * (operand == rows.scale ? normalized : 1)};
}

}  // namespace strata
