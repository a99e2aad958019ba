// SPDX-License-Identifier: MIT
#include "backend/reference/log_softmax.h"

#include <algorithm>
#include <cmath>

namespace strata {

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

}  // namespace strata
