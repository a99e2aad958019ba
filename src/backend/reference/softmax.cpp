// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/axis.h"
#include "backend/reference/log_softmax.h"
#include "backend/reference/operators.h"

#include <cmath>
#include <vector>

namespace strata {

namespace {

// One row of a tensor along the softmax's axis.
struct Row {
    AxisView view;
    std::size_t before = 0;
    std::size_t after = 0;

    std::size_t operator[](std::size_t along) const { return view.at(before, along, after); }
};

std::vector<double> logarithms(const Row& row, std::span<const float> x) {
    std::vector<double> values(row.view.extent);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = x[row[i]];
    }
    log_softmax(values);
    return values;
}

void write_softmax(const Softmax& op, const Row& row, const ReferenceOperands& operands) {
    const auto logarithm = logarithms(row, operands.inputs[0]);
    for (std::size_t i = 0; i < logarithm.size(); ++i) {
        operands.outputs[0][row[i]] =
            static_cast<float>(op.logarithm ? logarithm[i] : std::exp(logarithm[i]));
    }
}

// With p the probabilities: dx = p (dy - sum of dy p); for the logarithm, dx = dy - p sum of dy.
void write_softmax_gradient(const Softmax& op, const Row& row, const ReferenceOperands& operands) {
    const auto logarithm = logarithms(row, operands.inputs[0]);
    const auto dy = operands.output_gradients[0];
    double sum = 0;
    for (std::size_t i = 0; i < logarithm.size(); ++i) {
        sum += dy[row[i]] * (op.logarithm ? 1 : std::exp(logarithm[i]));
    }
    for (std::size_t i = 0; i < logarithm.size(); ++i) {
        const double p = std::exp(logarithm[i]);
        operands.input_gradients[0][row[i]] =
            static_cast<float>(op.logarithm ? dy[row[i]] - p * sum : p * (dy[row[i]] - sum));
    }
}

template <class Use>
void for_each_row(const Softmax& op, const ReferenceOperands& operands, Use&& use) {
    const AxisView view = around_axis(operands.input_dims(0), op.axis);
    parallel_for(view.outer * view.inner, static_cast<double>(view.extent) * 16,
                 [&](std::size_t row) {
                     use(op, Row{view, row / view.inner, row % view.inner}, operands);
                 });
}

}  // namespace

void reference_forward(const Softmax& op, const ReferenceOperands& operands) {
    for_each_row(op, operands, write_softmax);
}

void reference_backward(const Softmax& op, const ReferenceOperands& operands) {
    for_each_row(op, operands, write_softmax_gradient);
}

}  // namespace strata
