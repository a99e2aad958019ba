// SPDX-License-Identifier: MIT
#include "verify/rounding.h"

#include "backend/reference/batch_statistics.h"
#include "backend/reference/row_normalization.h"
#include "op/attention_extents.h"
#include "op/interpolation.h"
#include "op/window.h"
#include "verify/comparison.h"

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

double count(std::span<const std::int64_t> dims) {
    return static_cast<double>(product(dims));
}

double elements(const ReferenceOperands& o, std::size_t operand) {
    return count(o.input_dims(operand));
}

double rms_input(const ReferenceOperands& o, std::size_t operand) {
    return root_mean_square(o.inputs[operand]);
}

double rms_gradient(const ReferenceOperands& o) {
    return o.output_gradients.empty() ? 0 : root_mean_square(o.output_gradients[0]);
}

// What most operators are: no sums worth the name; a gradient passes through, times a slope.
template <class T>
SumShape forward_shape(const T&, const ReferenceOperands&) {
    return {};
}

template <class T>
SumShape gradient_shape(const T&, const ReferenceOperands& o, std::size_t) {
    return {.length = 1, .magnitude = rms_gradient(o)};
}

// Every weight of an output channel takes part in each of its elements.
SumShape forward_shape(const Convolution&, const ReferenceOperands& o) {
    return {elements(o, 1) / static_cast<double>(o.input_dims(1)[0]),
            rms_input(o, 0) * rms_input(o, 1)};
}

SumShape gradient_shape(const Convolution&, const ReferenceOperands& o, std::size_t operand) {
    if (operand == 0) {
        const double taps = count(std::span(o.input_dims(1)).subspan(2));
        const double channels = elements(o, 1) / taps / static_cast<double>(o.input_dims(0)[1]);
        return {channels * taps, rms_gradient(o) * rms_input(o, 1)};
    }
    const double summed = count(o.output_dims(0)) / static_cast<double>(o.output_dims(0)[1]);
    return {summed, rms_gradient(o) * (operand == 1 ? rms_input(o, 0) : 1)};
}

// An output is summed over the input channels of its group and the taps that meet it, at most all.
SumShape forward_shape(const TransposedConvolution& op, const ReferenceOperands& o) {
    const double taps = count(std::span(o.input_dims(1)).subspan(2));
    const double channels =
        static_cast<double>(o.input_dims(1)[0]) / static_cast<double>(op.groups);
    return {channels * taps, rms_input(o, 0) * rms_input(o, 1)};
}

SumShape gradient_shape(const TransposedConvolution&, const ReferenceOperands& o,
                        std::size_t operand) {
    if (operand == 0) {
        const double taps = elements(o, 1) / static_cast<double>(o.input_dims(1)[0]);
        return {taps, rms_gradient(o) * rms_input(o, 1)};
    }
    if (operand == 1) {
        const double summed = elements(o, 0) / static_cast<double>(o.input_dims(0)[1]);
        return {summed, rms_gradient(o) * rms_input(o, 0)};
    }
    return {count(o.output_dims(0)) / static_cast<double>(o.output_dims(0)[1]), rms_gradient(o)};
}

// A mean of taps; a gradient is the sum of the shares that an input has in the outputs.
SumShape forward_shape(const Resize& op, const ReferenceOperands& o) {
    double taps = 1;
    for (const InterpolationAxis& axis : interpolation_axes(op, o.signature.inputs[0].tensor)) {
        taps *= static_cast<double>(axis.each);
    }
    return {taps, rms_input(o, 0) / std::sqrt(taps)};
}

SumShape gradient_shape(const Resize& op, const ReferenceOperands& o, std::size_t) {
    const double taps = forward_shape(op, o).length;
    const double shares = std::max(1.0, count(o.output_dims(0)) / elements(o, 0));
    return {taps * shares, rms_gradient(o) / std::sqrt(taps)};
}

SumShape forward_shape(const FullyConnected&, const ReferenceOperands& o) {
    return {static_cast<double>(o.input_dims(1)[1]), rms_input(o, 0) * rms_input(o, 1)};
}

SumShape gradient_shape(const FullyConnected&, const ReferenceOperands& o, std::size_t operand) {
    if (operand == 0) {
        return {static_cast<double>(o.input_dims(1)[0]), rms_gradient(o) * rms_input(o, 1)};
    }
    return {static_cast<double>(o.input_dims(0)[0]),
            rms_gradient(o) * (operand == 1 ? rms_input(o, 0) : 1)};
}

SumShape forward_shape(const MatMul& op, const ReferenceOperands& o) {
    const Dims& a = o.input_dims(0);
    return {static_cast<double>(op.transpose_a ? a[a.size() - 2] : a.back()),
            rms_input(o, 0) * rms_input(o, 1)};
}

// An element of da meets every element of dy in its row, and every copy that was broadcast.
SumShape gradient_shape(const MatMul& op, const ReferenceOperands& o, std::size_t operand) {
    const double products = count(o.output_dims(0)) * forward_shape(op, o).length;
    return {products / elements(o, operand), rms_gradient(o) * rms_input(o, 1 - operand)};
}

SumShape forward_shape(const Pooling& op, const ReferenceOperands& o) {
    const Window window = window_of(op, o.signature.inputs[0].tensor);
    const double taps = count(window.kernel);
    return op.kind == PoolingKind::max ? SumShape() : SumShape{taps, rms_input(o, 0) / taps};
}

SumShape gradient_shape(const Pooling& op, const ReferenceOperands& o, std::size_t) {
    const Window window = window_of(op, o.signature.inputs[0].tensor);
    const double taps = count(window.kernel);
    return {taps, rms_gradient(o) / (op.kind == PoolingKind::max ? 1 : taps)};
}

SumShape gradient_shape(const Lrn& op, const ReferenceOperands& o, std::size_t) {
    return {static_cast<double>(op.size), rms_gradient(o)};
}

double copies_of(const ReferenceOperands& o, std::size_t operand) {
    return count(o.output_dims(0)) / elements(o, operand);
}

SumShape gradient_shape(const Expand&, const ReferenceOperands& o, std::size_t operand) {
    return {copies_of(o, operand), rms_gradient(o)};
}

SumShape gradient_shape(const Select&, const ReferenceOperands& o, std::size_t operand) {
    return {copies_of(o, operand), rms_gradient(o)};
}

// At worst all indices name one row; where they do not, no sum is larger than a gradient.
SumShape gradient_shape(const Gather&, const ReferenceOperands& o, std::size_t) {
    const double rows = elements(o, 1);
    return {rows, rms_gradient(o) / std::sqrt(rows)};
}

// Sums and means can cancel. A logarithm of a sum of exponentials is a sum of two: the greatest
// term and the logarithm of how many there are like it.
SumShape forward_shape(const Reduction& op, const ReferenceOperands& o) {
    const double terms = elements(o, 0) / count(o.output_dims(0));
    switch (op.kind) {
        case ReductionKind::maximum:
        case ReductionKind::minimum:
            return {};
        case ReductionKind::sum:
            return {terms, rms_input(o, 0)};
        case ReductionKind::mean:
            return {terms, rms_input(o, 0) / terms};
        case ReductionKind::log_sum_exp:
            return {terms, (rms_input(o, 0) + std::log(terms)) / std::sqrt(terms)};
        default:
            return {.length = terms};
    }
}

// A term's gradient is its result's, times what all the terms made of it.
SumShape gradient_shape(const Reduction& op, const ReferenceOperands& o, std::size_t) {
    const bool chooses = op.kind == ReductionKind::maximum || op.kind == ReductionKind::minimum;
    return {.length = chooses ? 1 : elements(o, 0) / count(o.output_dims(0))};
}

// What rounding meets in the worst of a batch normalisation's statistics.
struct Conditioning {
    double normalized = 0;  // root mean square of x / deviation, before the mean is taken off
    double factor = 0;      // scale / deviation
    double forward = 0;     // scale times normalized
};

Conditioning conditioning_of(const BatchNormalization& op, const ReferenceOperands& o) {
    const StatisticGroups groups = groups_of(o);
    Conditioning worst;
    for (std::int64_t g = 0; g < groups.statistics; ++g) {
        const auto [mean, variance] = moments_of(o, groups, g);
        const double scale = std::abs(o.inputs[1][static_cast<std::size_t>(g)]);
        const double inverse = 1 / std::sqrt(variance + op.epsilon);
        const double normalized = std::sqrt(mean * mean + variance) * inverse;
        worst.normalized = std::max(worst.normalized, normalized);
        worst.factor = std::max(worst.factor, scale * inverse);
        worst.forward = std::max(worst.forward, scale * normalized);
    }
    return worst;
}

// The sums are means here: their terms are smaller than the values by the length.
SumShape mean_of(double length, double value) {
    return {length, value / std::sqrt(length)};
}

SumShape forward_shape(const BatchNormalization& op, const ReferenceOperands& o) {
    return mean_of(elements(o, 0) / elements(o, 1), conditioning_of(op, o).forward);
}

SumShape gradient_shape(const BatchNormalization& op, const ReferenceOperands& o,
                        std::size_t operand) {
    const double summed = elements(o, 0) / elements(o, 1);
    const Conditioning worst = conditioning_of(op, o);
    if (operand == 0) {
        return mean_of(summed, rms_gradient(o) * worst.factor * std::max(1.0, worst.normalized));
    }
    return {summed, rms_gradient(o) * (operand == 1 ? std::max(1.0, worst.normalized) : 1)};
}

// The same for the worst of a normalisation's rows.
Conditioning conditioning_of(const RowNormalization& rows, const ReferenceOperands& o) {
    double scale = rows.scale == 0 ? 1 : 0;
    for (std::size_t i = 0; rows.scale != 0 && i < o.inputs[rows.scale].size(); ++i) {
        scale = std::max(scale, static_cast<double>(std::abs(o.inputs[rows.scale][i])));
    }
    Conditioning worst;
    for (std::int64_t row = 0; row < rows.rows; ++row) {
        const auto [mean, variance, inverse] = moments_of(rows, o.inputs[0], row);
        worst.normalized = std::max(worst.normalized, std::sqrt(mean * mean + variance) * inverse);
        worst.factor = std::max(worst.factor, scale * inverse);
    }
    worst.forward = scale * worst.normalized;
    return worst;
}

SumShape forward_shape(const RowNormalization& rows, const ReferenceOperands& o) {
    return mean_of(static_cast<double>(rows.width), conditioning_of(rows, o).forward);
}

SumShape gradient_shape(const RowNormalization& rows, const ReferenceOperands& o,
                        std::size_t operand) {
    const Conditioning worst = conditioning_of(rows, o);
    if (operand == 0) {
        return mean_of(static_cast<double>(rows.width),
                       rms_gradient(o) * worst.factor * std::max(1.0, worst.normalized));
    }
    return {elements(o, 0) / elements(o, operand),
            rms_gradient(o) * (operand == rows.scale ? std::max(1.0, worst.normalized) : 1)};
}

SumShape forward_shape(const LayerNormalization& op, const ReferenceOperands& o) {
    return forward_shape(rows_of(op, o.signature), o);
}

SumShape gradient_shape(const LayerNormalization& op, const ReferenceOperands& o,
                        std::size_t operand) {
    return gradient_shape(rows_of(op, o.signature), o, operand);
}

SumShape forward_shape(const GroupNormalization& op, const ReferenceOperands& o) {
    return forward_shape(rows_of(op, o.signature), o);
}

SumShape gradient_shape(const GroupNormalization& op, const ReferenceOperands& o,
                        std::size_t operand) {
    return gradient_shape(rows_of(op, o.signature), o, operand);
}

// What weighs a value's rounding: a probability, one of so many; and where scores are large, a
// probability errs by as much as its score does, one sixteenth unit of this count for each score.
double probability_of(const Attention& op, const ReferenceOperands& o) {
    const AttentionExtents e = extents_of(op, o.signature);
    const auto keys = static_cast<double>(e.keys);
    const double score =
        e.scale * rms_input(o, 0) * rms_input(o, 1) * std::sqrt(static_cast<double>(e.width));
    return 1 / keys + score / 16 / std::sqrt(keys);
}

// A mean of the values, weighed by the probabilities.
SumShape forward_shape(const Attention& op, const ReferenceOperands& o) {
    const auto keys = static_cast<double>(extents_of(op, o.signature).keys);
    return {keys, rms_input(o, 2) * probability_of(op, o)};
}

// A value meets the gradients of all queries, a query and a key one another; each of those terms is
// weighed by a probability, one of so many.
SumShape gradient_shape(const Attention& op, const ReferenceOperands& o, std::size_t operand) {
    const AttentionExtents e = extents_of(op, o.signature);
    const double probability = probability_of(op, o);
    const double terms =
        static_cast<double>(operand == 0 ? e.keys : e.queries * (e.heads / e.kv_heads));
    if (operand == 2) {
        return {terms, rms_gradient(o) * probability};
    }
    const double of_score = rms_gradient(o) * rms_input(o, 2) *
                            std::sqrt(static_cast<double>(e.value_width)) * probability;
    // The mean that a softmax's gradient takes off errs alike for all keys, and does not average
    // out.
    const double alike = 1 + std::sqrt(static_cast<double>(e.keys)) / 8;
    return {terms,
            operand == 3 ? of_score : of_score * alike * e.scale * rms_input(o, 1 - operand)};
}

// Only sums and differences can cancel.
SumShape forward_shape(const Elementwise& op, const ReferenceOperands& o) {
    if (op.kind != ElementwiseKind::add && op.kind != ElementwiseKind::subtract) {
        return {};
    }
    double largest = 0;
    for (std::size_t i = 0; i < o.inputs.size(); ++i) {
        largest = std::max(largest, rms_input(o, i));
    }
    return {static_cast<double>(o.inputs.size()), largest};
}

// An operand that was broadcast sums over its copies.
SumShape gradient_shape(const Elementwise& op, const ReferenceOperands& o, std::size_t operand) {
    double others = 1;
    for (std::size_t i = 0; i < o.inputs.size() && op.kind == ElementwiseKind::multiply; ++i) {
        others *= i == operand ? 1 : rms_input(o, i);
    }
    return {count(o.output_dims(0)) / elements(o, operand), rms_gradient(o) * others};
}

// Rounding of one step reaches every later one: products of all steps count as one long sum.
double products_of_a_sequence(const Recurrent& op, const ReferenceOperands& o) {
    const auto width = static_cast<double>(op.hidden + o.input_dims(0)[2]);
    return width * static_cast<double>(o.input_dims(0)[0] * op.layers);
}

SumShape forward_shape(const Recurrent& op, const ReferenceOperands& o) {
    return {.length = products_of_a_sequence(op, o)};
}

// Parameters sum over the batch as well. The gradient of a state that a long sequence has forgotten
// is small against what it is a part of.
SumShape gradient_shape(const Recurrent& op, const ReferenceOperands& o, std::size_t operand) {
    const bool trained = o.signature.inputs[operand].role == Role::parameter;
    const double summed = trained ? static_cast<double>(o.input_dims(0)[1]) : 1;
    return mean_of(products_of_a_sequence(op, o) * summed, rms_gradient(o));
}

// A row sums the gradients of all that name it: at worst, all.
SumShape gradient_shape(const Embedding&, const ReferenceOperands& o, std::size_t) {
    return {.length = elements(o, 0), .magnitude = 0};
}

SumShape gradient_shape(const SoftmaxCrossEntropy&, const ReferenceOperands& o, std::size_t) {
    return {static_cast<double>(o.input_dims(0)[1]), 0};
}

constexpr double unit_f32 = 0x1p-24;

}  // namespace

double SumShape::typical() const {
    return std::sqrt(length) * magnitude;
}

SumShape forward_sum(const Op& op, const ReferenceOperands& operands) {
    return std::visit([&](const auto& one) { return forward_shape(one, operands); }, op);
}

SumShape statistic_sum(const Op& op, const ReferenceOperands& operands, std::size_t operand) {
    constexpr std::size_t mean_operand = 3;
    const double length = forward_sum(op, operands).length;
    const auto* normalization = std::get_if<BatchNormalization>(&op);
    if (normalization == nullptr || operand != mean_operand) {
        return {.length = length};
    }
    const double renewed = (1 - normalization->momentum) * rms_input(operands, 0);
    return {.length = length, .magnitude = renewed / std::sqrt(length)};
}

SumShape gradient_sum(const Op& op, const ReferenceOperands& operands, std::size_t operand) {
    return std::visit([&](const auto& one) { return gradient_shape(one, operands, operand); }, op);
}

double tolerance_of(const SumShape& sum, const Execution& execution, std::string_view algorithm) {
    const double transformed = algorithm.find("winograd") != algorithm.npos ? 4 : 1;
    const double serial = unit_f32 * (256 + 12 * std::sqrt(sum.length)) * transformed;
    if (execution.numerics.dtype != DataType::f32) {
        return 0x1p-7 + serial;
    }
    const bool by_tf32 =
        execution.numerics.single_precision == SinglePrecision::tf32 && sum.length > 1;
    return by_tf32 ? 0x1p-8 + serial : serial;
}

}  // namespace strata
