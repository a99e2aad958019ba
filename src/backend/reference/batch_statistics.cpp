// SPDX-License-Identifier: MIT
#include "backend/reference/batch_statistics.h"

namespace strata {

namespace {

Moments batch_moments(const StatisticGroups& groups, std::int64_t g, std::span<const float> x) {
    Moments moments;
    groups.for_each_element(g, [&](std::size_t i) { moments.mean += x[i]; });
    moments.mean /= groups.count();
    groups.for_each_element(g, [&](std::size_t i) {
        moments.variance += (x[i] - moments.mean) * (x[i] - moments.mean);
    });
    moments.variance /= groups.count();
    return moments;
}

}  // namespace

StatisticGroups groups_of(const ReferenceOperands& operands) {
    const Dims& x = operands.input_dims(0);
    const std::int64_t statistics = product(operands.input_dims(1));
    return {x[0], statistics, product(x) / x[0] / statistics};
}

Moments moments_of(const ReferenceOperands& operands, const StatisticGroups& groups,
                   std::int64_t g) {
    if (operands.execution.numerics.mode == Mode::training) {
        return batch_moments(groups, g, operands.inputs[0]);
    }
    const auto at = static_cast<std::size_t>(g);
    return {operands.inputs[3][at], operands.inputs[4][at]};
}

}  // namespace strata
