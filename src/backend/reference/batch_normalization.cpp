// SPDX-License-Identifier: MIT
#include "backend/reference/operators.h"

#include <cmath>

namespace strata {

namespace {

using Index = std::int64_t;

enum Operand : std::size_t { data, scale, shift, running_mean, running_variance };

// Which elements share a mean and a variance: of statistic g, the elements n * statistics * inner +
// g * inner + i for every image n and i < inner.
struct Groups {
    Index images = 0;
    Index statistics = 0;
    Index inner = 0;

    double count() const { return static_cast<double>(images * inner); }
};

Groups groups_of(const ReferenceOperands& operands) {
    const Dims& x = operands.input_dims(data);
    const Index statistics = product(operands.input_dims(scale));
    return {x[0], statistics, product(x) / x[0] / statistics};
}

// Calls use(index) for every element of one statistic.
template <class Use>
void for_each_element(const Groups& groups, Index g, Use&& use) {
    for (Index n = 0; n < groups.images; ++n) {
        const Index start = (n * groups.statistics + g) * groups.inner;
        for (Index i = start; i < start + groups.inner; ++i) {
            use(static_cast<std::size_t>(i));
        }
    }
}

struct Moments {
    double mean = 0;
    double variance = 0;  // biased: divided by the count
};

Moments batch_moments(const Groups& groups, Index g, std::span<const float> x) {
    Moments moments;
    for_each_element(groups, g, [&](std::size_t i) { moments.mean += x[i]; });
    moments.mean /= groups.count();
    for_each_element(groups, g, [&](std::size_t i) {
        moments.variance += (x[i] - moments.mean) * (x[i] - moments.mean);
    });
    moments.variance /= groups.count();
    return moments;
}

Moments moments_of(const ReferenceOperands& operands, const Groups& groups, Index g) {
    if (operands.execution.mode == Mode::training) {
        return batch_moments(groups, g, operands.inputs[data]);
    }
    const auto at = static_cast<std::size_t>(g);
    return {operands.inputs[running_mean][at], operands.inputs[running_variance][at]};
}

double inverse_deviation(const BatchNormalization& op, const Moments& moments) {
    return 1 / std::sqrt(moments.variance + op.epsilon);
}

void update_running(const BatchNormalization& op, const ReferenceOperands& operands,
                    std::size_t operand, Index g, double batch) {
    if (operand < operands.statistics.size() && !operands.statistics[operand].empty()) {
        const auto at = static_cast<std::size_t>(g);
        operands.statistics[operand][at] = static_cast<float>(
            op.momentum * operands.inputs[operand][at] + (1 - op.momentum) * batch);
    }
}

// Sums over one statistic's elements: of dy, and of dy times the normalised value x^.
struct GradientSums {
    double of_gradient = 0;
    double of_product = 0;
};

GradientSums gradient_sums(const ReferenceOperands& operands, const Groups& groups, Index g,
                           const Moments& moments, double inverse) {
    GradientSums sums;
    for_each_element(groups, g, [&](std::size_t i) {
        const double normalized = (operands.inputs[data][i] - moments.mean) * inverse;
        sums.of_gradient += operands.output_gradients[0][i];
        sums.of_product += operands.output_gradients[0][i] * normalized;
    });
    return sums;
}

// dx = scale * inverse * (dy - mean(dy) - x^ * mean(dy x^)) (Ioffe and Szegedy 2015, section 3).
void data_gradient(const ReferenceOperands& operands, const Groups& groups, Index g,
                   const Moments& moments, double inverse, const GradientSums& sums) {
    const double factor = operands.inputs[scale][static_cast<std::size_t>(g)] * inverse;
    for_each_element(groups, g, [&](std::size_t i) {
        const double normalized = (operands.inputs[data][i] - moments.mean) * inverse;
        const double centred = operands.output_gradients[0][i] - sums.of_gradient / groups.count() -
                               normalized * sums.of_product / groups.count();
        operands.input_gradients[data][i] = static_cast<float>(factor * centred);
    });
}

}  // namespace

// y = scale * (x - mean) / sqrt(variance + epsilon) + shift
void reference_forward(const BatchNormalization& op, const ReferenceOperands& operands) {
    const Groups groups = groups_of(operands);
#pragma omp parallel for
    for (Index g = 0; g < groups.statistics; ++g) {
        const Moments moments = moments_of(operands, groups, g);
        const double inverse = inverse_deviation(op, moments);
        const auto at = static_cast<std::size_t>(g);
        const double factor = operands.inputs[scale][at], offset = operands.inputs[shift][at];
        for_each_element(groups, g, [&](std::size_t i) {
            operands.outputs[0][i] = static_cast<float>(
                factor * (operands.inputs[data][i] - moments.mean) * inverse + offset);
        });
        update_running(op, operands, running_mean, g, moments.mean);
        update_running(op, operands, running_variance, g, moments.variance);
    }
}

void reference_backward(const BatchNormalization& op, const ReferenceOperands& operands) {
    const Groups groups = groups_of(operands);
#pragma omp parallel for
    for (Index g = 0; g < groups.statistics; ++g) {
        const Moments moments = moments_of(operands, groups, g);
        const double inverse = inverse_deviation(op, moments);
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
    }
}

}  // namespace strata
