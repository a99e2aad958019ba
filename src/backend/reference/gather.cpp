// SPDX-License-Identifier: MIT
#include "backend/reference/operators.h"
#include "backend/reference/views.h"
#include "backend/semantics.h"

#include <algorithm>
#include <vector>

namespace strata {

namespace {

// Calls use(first element of a row of the result, first element of the row it comes from, length).
template <class Use>
void for_each_row(const Gather& op, const ReferenceOperands& operands, Use&& use) {
    const AxisView data = around_axis(operands.input_dims(0), op.axis);
    const auto indices = operands.inputs[1];
    for (std::size_t before = 0; before < data.outer; ++before) {
        for (std::size_t j = 0; j < indices.size(); ++j) {
            const auto at = static_cast<std::size_t>(
                place_of_index(indices[j], static_cast<std::int64_t>(data.extent)));
            use((before * indices.size() + j) * data.inner, data.at(before, at, 0), data.inner);
        }
    }
}

}  // namespace

void reference_forward(const Gather& op, const ReferenceOperands& operands) {
    for_each_row(op, operands, [&](std::size_t to, std::size_t from, std::size_t length) {
        std::ranges::copy(operands.inputs[0].subspan(from, length),
                          operands.outputs[0].subspan(to).begin());
    });
}

void reference_backward(const Gather& op, const ReferenceOperands& operands) {
    if (!operands.wants_gradient(0)) {
        return;
    }
    std::vector<double> sums(operands.input_gradients[0].size());
    for_each_row(op, operands, [&](std::size_t from, std::size_t to, std::size_t length) {
        for (std::size_t i = 0; i < length; ++i) {
            sums[to + i] += operands.output_gradients[0][from + i];
        }
    });
    std::ranges::transform(sums, operands.input_gradients[0].begin(),
                           [](double sum) { return static_cast<float>(sum); });
}

}  // namespace strata
