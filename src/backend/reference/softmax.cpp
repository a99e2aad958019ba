// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/operators.h"
#include "backend/reference/views.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace strata {

namespace {

// Replaces each x by x - log(sum of exp x). The maximum is subtracted first, so nothing overflows.
void log_softmax(std::span<double> values) {
    const double greatest = *std::ranges::max_element(values);
    double sum = 0;
    for (const double value : values) {
        sum += std::exp(value - greatest);
    }
    const double logarithm = greatest + std::log(sum);
    for (double& value : values) {
        value -= logarithm;
    }
}

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

namespace {

struct Batch {
    std::size_t images = 0;
    std::size_t classes = 0;
};

Batch batch_of(const ReferenceOperands& operands) {
    const Dims& x = operands.input_dims(0);
    return {static_cast<std::size_t>(x[0]), static_cast<std::size_t>(x[1])};
}

std::vector<double> log_probabilities(const ReferenceOperands& operands, const Batch& batch,
                                      std::size_t image) {
    const auto x = operands.inputs[0].subspan(image * batch.classes, batch.classes);
    std::vector<double> values(x.begin(), x.end());
    log_softmax(values);
    return values;
}

// The class of an image; a label from outside that is not a class is clamped to the nearest one.
std::size_t label_of(const ReferenceOperands& operands, const Batch& batch, std::size_t image) {
    const double label = operands.inputs[1][image];
    return static_cast<std::size_t>(std::clamp(label, 0.0, static_cast<double>(batch.classes - 1)));
}

}  // namespace

void reference_forward(const SoftmaxCrossEntropy&, const ReferenceOperands& operands) {
    const Batch batch = batch_of(operands);
    double loss = 0;
    for (std::size_t n = 0; n < batch.images; ++n) {
        loss -= log_probabilities(operands, batch, n)[label_of(operands, batch, n)];
    }
    operands.outputs[0][0] = static_cast<float>(loss / static_cast<double>(batch.images));
}

// dx = (softmax(x) - onehot(label)) / images
void reference_backward(const SoftmaxCrossEntropy&, const ReferenceOperands& operands) {
    const Batch batch = batch_of(operands);
    for (std::size_t n = 0; n < batch.images; ++n) {
        const auto logarithm = log_probabilities(operands, batch, n);
        const std::size_t label = label_of(operands, batch, n);
        for (std::size_t c = 0; c < batch.classes; ++c) {
            const double error = std::exp(logarithm[c]) - (c == label ? 1 : 0);
            operands.input_gradients[0][n * batch.classes + c] =
                static_cast<float>(error / static_cast<double>(batch.images));
        }
    }
}

}  // namespace strata
