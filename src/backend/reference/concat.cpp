// SPDX-License-Identifier: MIT
#include "backend/reference/operators.h"
#include "backend/reference/views.h"

#include <algorithm>

namespace strata {

namespace {

// An operand's place in the result: `length` elements at `start` of every `period`.
struct Slot {
    std::size_t start = 0;
    std::size_t length = 0;
    std::size_t period = 0;
};

// Calls use(operand, slot) for every operand, in order.
template <class Use>
void for_each_slot(const Concat& op, const ReferenceOperands& operands, Use&& use) {
    const AxisView whole = around_axis(operands.output_dims(0), op.axis);
    std::size_t start = 0;
    for (std::size_t j = 0; j < operands.signature.inputs.size(); ++j) {
        const AxisView part = around_axis(operands.input_dims(j), op.axis);
        use(j, Slot{start, part.extent * part.inner, whole.extent * whole.inner});
        start += part.extent * part.inner;
    }
}

}  // namespace

void reference_forward(const Concat& op, const ReferenceOperands& operands) {
    for_each_slot(op, operands, [&](std::size_t operand, const Slot& slot) {
        const auto x = operands.inputs[operand];
        for (std::size_t i = 0; i < x.size(); i += slot.length) {
            const std::size_t to = i / slot.length * slot.period + slot.start;
            std::ranges::copy(x.subspan(i, slot.length), operands.outputs[0].subspan(to).begin());
        }
    });
}

void reference_backward(const Concat& op, const ReferenceOperands& operands) {
    for_each_slot(op, operands, [&](std::size_t operand, const Slot& slot) {
        if (!operands.wants_gradient(operand)) {
            return;
        }
        const auto dx = operands.input_gradients[operand];
        for (std::size_t i = 0; i < dx.size(); i += slot.length) {
            const std::size_t from = i / slot.length * slot.period + slot.start;
            std::ranges::copy(operands.output_gradients[0].subspan(from, slot.length),
                              dx.subspan(i).begin());
        }
    });
}

}  // namespace strata
