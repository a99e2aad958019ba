// SPDX-License-Identifier: MIT
#include "backend/reference/operators.h"
#include "backend/reference/views.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace strata {

namespace {

// The input positions of the terms of each result.
std::vector<std::vector<std::size_t>> terms_of(const Reduction& op,
                                               const ReferenceOperands& operands) {
    const Dims& input = operands.input_dims(0);
    Dims kept = input;
    for (std::size_t axis = 0; axis < input.size(); ++axis) {
        const auto from_end =
            static_cast<std::int64_t>(axis) - static_cast<std::int64_t>(input.size());
        const bool named =
            std::ranges::find(op.axes, static_cast<std::int64_t>(axis)) != op.axes.end() ||
            std::ranges::find(op.axes, from_end) != op.axes.end();
        kept[axis] = op.axes.empty() || named ? 1 : input[axis];
    }
    const Broadcast result(kept, input);
    std::vector<std::vector<std::size_t>> terms(
        static_cast<std::size_t>(product(operands.output_dims(0))));
    for (std::size_t i = 0; i < operands.inputs[0].size(); ++i) {
        terms[result(i)].push_back(i);
    }
    return terms;
}

using Values = std::vector<double>;

double sum_over(const Values& x, double (*each)(double)) {
    double sum = 0;
    for (const double term : x) {
        sum += each(term);
    }
    return sum;
}

double sum_of(const Values& x) {
    return sum_over(x, [](double term) { return term; });
}

double sum_of_squares(const Values& x) {
    return sum_over(x, [](double term) { return term * term; });
}

// The maximum is subtracted first, so that no exponential overflows.
double log_sum_exp(const Values& x) {
    const double greatest = *std::ranges::max_element(x);
    if (!std::isfinite(greatest)) {
        return std::log(sum_over(x, [](double term) { return std::exp(term); }));
    }
    double sum = 0;
    for (const double term : x) {
        sum += std::exp(term - greatest);
    }
    return greatest + std::log(sum);
}

double product_of(const Values& x, std::size_t without) {
    double product = 1;
    for (std::size_t i = 0; i < x.size(); ++i) {
        product *= i == without ? 1 : x[i];
    }
    return product;
}

double statistic(ReductionKind kind, const Values& x) {
    switch (kind) {
        case ReductionKind::sum:
            return sum_of(x);
        case ReductionKind::mean:
            return sum_of(x) / static_cast<double>(x.size());
        case ReductionKind::maximum:
            return *std::ranges::max_element(x);
        case ReductionKind::minimum:
            return *std::ranges::min_element(x);
        case ReductionKind::product:
            return product_of(x, x.size());
        case ReductionKind::sum_of_squares:
            return sum_of_squares(x);
        case ReductionKind::l1:
            return sum_over(x, [](double term) { return std::abs(term); });
        case ReductionKind::l2:
            return std::sqrt(sum_of_squares(x));
        case ReductionKind::log_sum:
            return std::log(sum_of(x));
        case ReductionKind::log_sum_exp:
            return log_sum_exp(x);
    }
    return 0;
}

// d(statistic) / dx[i], where y is the statistic.
double slope(ReductionKind kind, const Values& x, double y, std::size_t i) {
    const auto first = [&](auto found) { return static_cast<std::size_t>(found - x.begin()) == i; };
    switch (kind) {
        case ReductionKind::sum:
            return 1;
        case ReductionKind::mean:
            return 1 / static_cast<double>(x.size());
        case ReductionKind::maximum:
            return first(std::ranges::max_element(x)) ? 1 : 0;
        case ReductionKind::minimum:
            return first(std::ranges::min_element(x)) ? 1 : 0;
        case ReductionKind::product:
            return product_of(x, i);
        case ReductionKind::sum_of_squares:
            return 2 * x[i];
        case ReductionKind::l1:
            return x[i] > 0 ? 1 : x[i] < 0 ? -1 : 0;
        case ReductionKind::l2:
            return y == 0 ? 0 : x[i] / y;
        case ReductionKind::log_sum:
            return std::exp(-y);
        case ReductionKind::log_sum_exp:
            return std::exp(x[i] - y);
    }
    return 0;
}

Values values_at(const std::vector<std::size_t>& places, std::span<const float> x) {
    Values values;
    for (const std::size_t place : places) {
        values.push_back(x[place]);
    }
    return values;
}

}  // namespace

void reference_forward(const Reduction& op, const ReferenceOperands& operands) {
    const auto terms = terms_of(op, operands);
    for (std::size_t result = 0; result < terms.size(); ++result) {
        operands.outputs[0][result] =
            static_cast<float>(statistic(op.kind, values_at(terms[result], operands.inputs[0])));
    }
}

void reference_backward(const Reduction& op, const ReferenceOperands& operands) {
    const auto terms = terms_of(op, operands);
    for (std::size_t result = 0; result < terms.size(); ++result) {
        const Values x = values_at(terms[result], operands.inputs[0]);
        const double y = statistic(op.kind, x);
        for (std::size_t i = 0; i < x.size(); ++i) {
            operands.input_gradients[0][terms[result][i]] =
                static_cast<float>(operands.output_gradients[0][result] * slope(op.kind, x, y, i));
        }
    }
}

}  // namespace strata
