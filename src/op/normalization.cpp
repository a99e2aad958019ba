// SPDX-License-Identifier: MIT
#include "op/normalization.h"

#include "op/normalization_statistics.h"
#include "op/rules.h"

#include <fmt/format.h>

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

std::vector<ParameterShape> BatchNormalization::parameters(
    std::span<const Tensor> activations) const {
    require_operands(type, activations, 1, 1);
    const Tensor& x = activations[0];
    require_rank(type, x, 2);
    const Dims dims = scope == NormalizationScope::spatial ? Dims{x.dims[1]}
                                                           : Dims(x.dims.begin() + 1, x.dims.end());
    const Tensor each = shaped(type, dims, x.dtype);
    return {{"scale", each},
            {"shift", each},
            {"mean", each, Role::statistic},
            {"variance", each, Role::statistic}};
}

std::vector<Tensor> BatchNormalization::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 5, 5);
    require_parameters(type, inputs.subspan(1), parameters(inputs.first(1)));
    return {shaped(type, inputs[0].dims, inputs[0].dtype)};
}

// Training forward, per element: the sum for the mean, x - mean, its square summed, times the
// inverse deviation, times scale plus shift; per statistic: two quotients by the count, epsilon,
// root, inverse, and two running averages of one multiply and one multiply-add each. Backward: the
// weights' pass sums dy and dy * x^ with x^ = (x - mean) * inverse recomputed; the data's dx =
// scale * inverse * (dy - mean(dy) - x^ * mean(dy x^)).
Operations BatchNormalization::operations(const Signature& signature, Pass pass) const {
    const double elements = count_of(signature.outputs[0]);
    const double statistics = count_of(signature.inputs[1].tensor);
    Operations forward = times(elements, {.multiply_adds = 2, .adds = 2, .multiplies = 1});
    forward +=
        times(statistics,
              {.multiply_adds = 2, .adds = 1, .multiplies = 2, .divides = 3, .transcendentals = 1});
    Operations data = times(elements, {.multiply_adds = 1, .adds = 2, .multiplies = 2});
    data += times(statistics, {.multiplies = 1, .divides = 2});
    return pick(
        {.forward = forward,
         .backward_data = data,
         .backward_weights = times(elements, {.multiply_adds = 1, .adds = 2, .multiplies = 1})},
        signature, pass);
}

BackwardReads BatchNormalization::reads() const {
    return {.input_for_data = true, .parameters_for_data = true, .input_for_weights = true};
}

namespace {

Conditioning conditioning_of(const BatchNormalization& op, const OperandValues& values) {
    const StatisticGroups groups = groups_of(values.signature);
    Conditioning worst;
    for (std::int64_t g = 0; g < groups.statistics; ++g) {
        const auto at = static_cast<std::size_t>(g);
        const Moments moments = values.training
                                    ? moments_of(groups, values.inputs[0], g)
                                    : Moments{values.inputs[3][at], values.inputs[4][at]};
        worst.include(moments, std::abs(values.inputs[1][at]), op.epsilon);
    }
    return worst;
}

}  // namespace

SumShape BatchNormalization::forward_sum(const OperandValues& values) const {
    return mean_of(values.elements(0) / values.elements(1), conditioning_of(*this, values).forward);
}

SumShape BatchNormalization::gradient_sum(const OperandValues& values, std::size_t operand) const {
    const double summed = values.elements(0) / values.elements(1);
    const Conditioning worst = conditioning_of(*this, values);
    const double normalized = std::max(1.0, worst.normalized);
    if (operand == 0) {
        return mean_of(summed, values.rms_gradient() * worst.factor * normalized);
    }
    return {summed, values.rms_gradient() * (operand == 1 ? normalized : 1)};
}

// The mean of a layer whose input has mean zero (a convolution after a batch normalisation without
// an activation) is pure rounding error, so it is judged by the values averaged.
SumShape BatchNormalization::statistic_sum(const OperandValues& values, std::size_t operand) const {
    constexpr std::size_t mean_operand = 3;
    const double length = values.elements(0) / values.elements(1);
    return operand == mean_operand ? mean_of(length, (1 - momentum) * values.rms(0))
                                   : SumShape{.length = length};
}

namespace {

Dims normalized_dims(const LayerNormalization& op, const Tensor& x) {
    const auto from = axis_index(LayerNormalization::type, op.axis, x.dims.size());
    return Dims(x.dims.begin() + static_cast<std::ptrdiff_t>(from), x.dims.end());
}

}  // namespace

std::vector<ParameterShape> LayerNormalization::parameters(
    std::span<const Tensor> activations) const {
    require_operands(type, activations, 1, 1);
    require_rank(type, activations[0], 1);
    const Tensor each = {normalized_dims(*this, activations[0]), activations[0].dtype};
    std::vector<ParameterShape> shapes;
    if (scale) {
        shapes.push_back({"scale", each});
    }
    if (shift) {
        shapes.push_back({"shift", each});
    }
    return shapes;
}

std::vector<Tensor> LayerNormalization::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 3);
    require_parameters(type, inputs.subspan(1), parameters(inputs.first(1)));
    return {shaped(type, inputs[0].dims, inputs[0].dtype)};
}

// Forward per element: its part of both sums, the difference, the quotient; scale and shift.
// Backward per element, after the two sums of dy and dy x: dx = a dy + b x + c.
Operations LayerNormalization::operations(const Signature& signature, Pass pass) const {
    const double elements = count_of(signature.outputs[0]);
    const double rows =
        elements / static_cast<double>(product(normalized_dims(*this, signature.outputs[0])));
    const bool centred = kind == NormalizationKind::standard;
    Operations forward = times(
        elements,
        {.multiply_adds = 1, .adds = centred ? 2.0 : 0.0, .multiplies = 1.0 + (scale ? 1 : 0)});
    forward.adds += shift ? elements : 0;
    forward += times(rows, {.divides = centred ? 3.0 : 2.0, .transcendentals = 1});
    return pick({.forward = forward,
                 .backward_data = times(elements, {.multiply_adds = 3,
                                                   .adds = centred ? 2.0 : 0.0,
                                                   .multiplies = 1.0 + (scale ? 1 : 0)}),
                 .backward_weights = times(
                     elements, {.multiply_adds = scale ? 1.0 : 0.0, .adds = shift ? 1.0 : 0.0})},
                signature, pass);
}

BackwardReads LayerNormalization::reads() const {
    return {.input_for_data = true, .parameters_for_data = scale, .input_for_weights = true};
}

std::string LayerNormalization::kind_name() const {
    return kind == NormalizationKind::standard ? "layer_normalization" : "rms_normalization";
}

SumShape LayerNormalization::forward_sum(const OperandValues& values) const {
    return strata::forward_sum(rows_of(*this, values.signature), values);
}

SumShape LayerNormalization::gradient_sum(const OperandValues& values, std::size_t operand) const {
    return strata::gradient_sum(rows_of(*this, values.signature), values, operand);
}

std::vector<ParameterShape> GroupNormalization::parameters(
    std::span<const Tensor> activations) const {
    require_operands(type, activations, 1, 1);
    const Tensor& x = activations[0];
    require_rank(type, x, 2);
    if (groups < 0 || (groups > 0 && x.dims[1] % groups != 0)) {
        refuse(type, fmt::format("{} groups must divide the {} channels", groups, x.dims[1]));
    }
    if (!affine) {
        return {};
    }
    const Tensor each = {{x.dims[1]}, x.dtype};
    return {{"scale", each}, {"shift", each}};
}

std::vector<Tensor> GroupNormalization::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 3);
    require_parameters(type, inputs.subspan(1), parameters(inputs.first(1)));
    return {shaped(type, inputs[0].dims, inputs[0].dtype)};
}

// Like layer normalisation, with each group of an image as one row.
Operations GroupNormalization::operations(const Signature& signature, Pass pass) const {
    const Tensor& y = signature.outputs[0];
    const double elements = count_of(y);
    const double rows =
        static_cast<double>(y.dims[0]) * static_cast<double>(groups == 0 ? y.dims[1] : groups);
    const double affine_part = affine ? 1 : 0;
    Operations forward = times(
        elements, {.multiply_adds = 1, .adds = 2 + affine_part, .multiplies = 1 + affine_part});
    forward += times(rows, {.divides = 3, .transcendentals = 1});
    return pick(
        {.forward = forward,
         .backward_data =
             times(elements, {.multiply_adds = 3, .adds = 2, .multiplies = 1 + affine_part}),
         .backward_weights = times(elements, {.multiply_adds = affine_part, .adds = affine_part})},
        signature, pass);
}

BackwardReads GroupNormalization::reads() const {
    return {.input_for_data = true, .parameters_for_data = affine, .input_for_weights = true};
}

SumShape GroupNormalization::forward_sum(const OperandValues& values) const {
    return strata::forward_sum(rows_of(*this, values.signature), values);
}

SumShape GroupNormalization::gradient_sum(const OperandValues& values, std::size_t operand) const {
    return strata::gradient_sum(rows_of(*this, values.signature), values, operand);
}

}  // namespace strata
