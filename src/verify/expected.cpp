// SPDX-License-Identifier: MIT
#include "verify/expected.h"

#include "verify/comparison.h"

#include <algorithm>
#include <functional>

namespace strata {

TensorError Expected::compare(std::span<const float> ours) const {
    const double scale = std::max(largest_magnitude(values), typical);
    return {largest_difference(ours, values, scale), tolerance};
}

void Expected::add(const Expected& contribution) {
    if (values.empty()) {
        *this = contribution;
        return;
    }
    std::ranges::transform(values, contribution.values, values.begin(), std::plus<>());
    typical = std::max(typical, contribution.typical);
    tolerance += contribution.tolerance;
}

}  // namespace strata
