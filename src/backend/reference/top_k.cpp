// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/operators.h"
#include "backend/reference/views.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace strata {

namespace {

// Whether a comes before b. NaN counts as the largest value.
bool precedes(const TopK& op, float a, float b) {
    if (std::isnan(a) || std::isnan(b)) {
        return op.largest ? std::isnan(a) && !std::isnan(b) : !std::isnan(a) && std::isnan(b);
    }
    return op.largest ? a > b : a < b;
}

// The positions of a row's elements in order; equal ones keep their order.
std::vector<std::size_t> order_of(const TopK& op, const AxisView& view, std::size_t before,
                                  std::size_t after, std::span<const float> x) {
    std::vector<std::size_t> order(view.extent);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return precedes(op, x[view.at(before, a, after)], x[view.at(before, b, after)]);
    });
    order.resize(static_cast<std::size_t>(op.k));
    return order;
}

// Calls use(element of a result, its element of the input, position along the axis).
template <class Use>
void for_each_chosen(const TopK& op, const ReferenceOperands& operands, Use&& use) {
    const AxisView input = around_axis(operands.input_dims(0), op.axis);
    const AxisView result = around_axis(operands.output_dims(0), op.axis);
    parallel_for(
        input.outer * input.inner, static_cast<double>(input.extent) * 32, [&](std::size_t row) {
            const std::size_t before = row / input.inner, after = row % input.inner;
            const auto order = order_of(op, input, before, after, operands.inputs[0]);
            for (std::size_t i = 0; i < order.size(); ++i) {
                use(result.at(before, i, after), input.at(before, order[i], after), order[i]);
            }
        });
}

}  // namespace

void reference_forward(const TopK& op, const ReferenceOperands& operands) {
    for_each_chosen(op, operands, [&](std::size_t to, std::size_t from, std::size_t position) {
        operands.outputs[0][to] = operands.inputs[0][from];
        operands.outputs[1][to] = static_cast<float>(position);
    });
}

// The chosen elements' gradients go back to their positions; the positions have no gradient.
void reference_backward(const TopK& op, const ReferenceOperands& operands) {
    std::ranges::fill(operands.input_gradients[0], 0.0F);
    for_each_chosen(op, operands, [&](std::size_t from, std::size_t to, std::size_t) {
        operands.input_gradients[0][to] = operands.output_gradients[0][from];
    });
}

void reference_forward(const Hardmax& op, const ReferenceOperands& operands) {
    const AxisView view = around_axis(operands.input_dims(0), op.axis);
    const auto x = operands.inputs[0];
    const auto y = operands.outputs[0];
    parallel_for(view.outer * view.inner, static_cast<double>(view.extent), [&](std::size_t row) {
        const std::size_t before = row / view.inner, after = row % view.inner;
        std::size_t largest = 0;
        for (std::size_t i = 0; i < view.extent; ++i) {
            const float value = x[view.at(before, i, after)];
            const float best = x[view.at(before, largest, after)];
            if (value > best || (std::isnan(value) && !std::isnan(best))) {
                largest = i;
            }
        }
        for (std::size_t i = 0; i < view.extent; ++i) {
            y[view.at(before, i, after)] = i == largest ? 1.0F : 0.0F;
        }
    });
}

// A step function: its slope is 0 wherever it has one.
void reference_backward(const Hardmax&, const ReferenceOperands& operands) {
    std::ranges::fill(operands.input_gradients[0], 0.0F);
}

}  // namespace strata
