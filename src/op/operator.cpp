// SPDX-License-Identifier: MIT
#include "op/operator.h"

#include <cmath>

namespace strata {

double SumShape::typical() const {
    return std::sqrt(length) * magnitude;
}

SumShape mean_of(double length, double value) {
    return {length, value / std::sqrt(length)};
}

double OperandValues::rms(std::size_t operand) const {
    return root_mean_square(inputs[operand]);
}

double OperandValues::rms_gradient() const {
    return root_mean_square(output_gradient);
}

double root_mean_square(std::span<const float> values) {
    double sum = 0;
    for (const float value : values) {
        sum += static_cast<double>(value) * static_cast<double>(value);
    }
    return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
}

}  // namespace strata
