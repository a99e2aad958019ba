// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/operators.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace strata {

namespace {

// The input position along one axis that an output position copies; empty for padding.
std::optional<std::int64_t> source_along(const Pad& op, std::size_t axis, std::int64_t extent,
                                         std::int64_t output) {
    const std::int64_t at = output - op.begin[axis];
    if (at >= 0 && at < extent) {
        return at;
    }
    switch (op.kind) {
        case PadKind::edge:
            return std::clamp<std::int64_t>(at, 0, extent - 1);
        case PadKind::reflect:
            return at < 0 ? -at : 2 * (extent - 1) - at;
        case PadKind::constant:
            break;
    }
    return std::nullopt;
}

// The index of the input element that element `index` of the result copies.
std::optional<std::size_t> source(const Pad& op, const Dims& input, const Dims& output,
                                  std::size_t index) {
    std::size_t offset = 0, step = 1;
    for (std::size_t axis = output.size(); axis-- > 0;) {
        const auto extent = static_cast<std::size_t>(output[axis]);
        const auto along =
            source_along(op, axis, input[axis], static_cast<std::int64_t>(index % extent));
        if (!along) {
            return std::nullopt;
        }
        offset += static_cast<std::size_t>(*along) * step;
        step *= static_cast<std::size_t>(input[axis]);
        index /= extent;
    }
    return offset;
}

}  // namespace

void reference_forward(const Pad& op, const ReferenceOperands& operands) {
    const auto y = operands.outputs[0];
    parallel_for(y.size(), 16, [&](std::size_t i) {
        const auto from = source(op, operands.input_dims(0), operands.output_dims(0), i);
        y[i] = from ? operands.inputs[0][*from] : static_cast<float>(op.value);
    });
}

void reference_backward(const Pad& op, const ReferenceOperands& operands) {
    const auto dx = operands.input_gradients[0];
    std::vector<double> sums(dx.size());
    for (std::size_t i = 0; i < operands.output_gradients[0].size(); ++i) {
        if (const auto to = source(op, operands.input_dims(0), operands.output_dims(0), i)) {
            sums[*to] += operands.output_gradients[0][i];
        }
    }
    std::ranges::transform(sums, dx.begin(), [](double sum) { return static_cast<float>(sum); });
}

}  // namespace strata
