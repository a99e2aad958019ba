// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/operators.h"
#include "op/normalization_statistics.h"

#include <cmath>

namespace strata {

namespace {

using Index = std::int64_t;

enum NormalizationInput : std::size_t { data, scale, shift, running_mean, running_variance };

// The batch's moments in training, the running ones in inference.
Moments moments_of(const ReferenceOperands& operands, const StatisticGroups& groups, Index g) {
    if (operands.execution.numerics.mode == Mode::training) {
        return moments_of(groups, operands.inputs[data], g);
    }
    const auto at = static_cast<std::size_t>(g);
    return {operands.inputs[running_mean][at], operands.inputs[running_variance][at]};
}

void update_running(const BatchNormalization& op, const ReferenceOperands& operands,
                    std::size_t operand, Index g, double batch) {
    if (operand < operands.statistics.size() && !operands.statistics[operand].empty()) {
        const auto at = static_cast<std::size_t>(g);
        operands.statistics[operand][at] = static_cast<float>(
            op.momentum * operands.inputs[operand][at] + (1 - op.momentum) * batch);
    }
}

// Sums over one statistic's elements: dy, and dy times the normalised value x^.
struct GradientSums {
    double of_gradient = 0;
    double of_product = 0;
};

GradientSums gradient_sums(const ReferenceOperands& operands, const StatisticGroups& groups,
                           Index g, const Moments& moments, double inverse) {
    GradientSums sums;
    groups.for_each_element(g, [&](std::size_t i) {
        const double normalized = (operands.inputs[data][i] - moments.mean) * inverse;
        sums.of_gradient += operands.output_gradients[0][i];
        sums.of_product += operands.output_gradients[0][i] * normalized;
    });
    return sums;
}

// dx = scale * inverse * (dy - mean(dy) - x^ * mean(dy x^)) (Ioffe and Szegedy 2015, section 3).
void data_gradient(const ReferenceOperands& operands, const StatisticGroups& groups, Index g,
                   const Moments& moments, double inverse, const GradientSums& sums) {
    const double factor = operands.inputs[scale][static_cast<std::size_t>(g)] * inverse;
    groups.for_each_element(g, [&](std::size_t i) {
        const double normalized = (operands.inputs[data][i] - moments.mean) * inverse;
        const double centred = operands.output_gradients[0][i] - sums.of_gradient / groups.count() -
                               normalized * sums.of_product / groups.count();
        operands.input_gradients[data][i] = static_cast<float>(factor * centred);
    });
}

}  // namespace

// y = scale * (x - mean) / sqrt(variance + epsilon) + shift
void reference_forward(const BatchNormalization& op, const ReferenceOperands& operands) {
    const StatisticGroups groups = groups_of(operands.signature);
    parallel_for(groups.statistics, 4 * groups.count(), [&](Index g) {
        const Moments moments = moments_of(operands, groups, g);
        const double inverse = moments.inverse_deviation(op.epsilon);
        const auto at = static_cast<std::size_t>(g);
        const double factor = operands.inputs[scale][at], offset = operands.inputs[shift][at];
        groups.for_each_element(g, [&](std::size_t i) {
            operands.outputs[0][i] = static_cast<float>(
                factor * (operands.inputs[data][i] - moments.mean) * inverse + offset);
        });
        update_running(op, operands, running_mean, g, moments.mean);
        update_running(op, operands, running_variance, g, moments.variance);
    });
}

void reference_backward(const BatchNormalization& op, const ReferenceOperands& operands) {
    const StatisticGroups groups = groups_of(operands.signature);
    parallel_for(groups.statistics, 4 * groups.count(), [&](Index g) {
        const Moments moments = moments_of(operands, groups, g);
        const double inverse = moments.inverse_deviation(op.epsilon);
        const GradientSums sums = gradient_sums(operands, groups, g, moments, inverse);
        const auto at = static_cast<std::size_t>(g);
        if (operands.wants_gradient(data)) {
            data_gradient(operands, groups, g, moments, inverse, sums);
        }
        if (operands.wants_gradient(scale)) {
            operands.input_gradients[scale][at] = static_cast<float>(sums.of_product);
        }
        if (operands.wants_gradient(shift)) {
            operands.input_gradients[shift][at] = static_cast<float>(sums.of_gradient);
        }
    });
}

}  // namespace strata
