// SPDX-License-Identifier: MIT
#include "verify/comparison.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strata {

namespace {

double difference(double ours, double reference) {
    if (ours == reference || (std::isnan(ours) && std::isnan(reference))) {
        return 0;
    }
    const double distance = std::abs(ours - reference);
    return std::isfinite(distance) ? distance : std::numeric_limits<double>::infinity();
}

}  // namespace

double largest_magnitude(std::span<const float> values) {
    double largest = 0;
    for (const float value : values) {
        largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
    return largest;
}

double largest_difference(std::span<const float> ours, std::span<const float> reference,
                          double scale) {
    check(ours.size() == reference.size(), "only tensors of one shape are compared");
    double largest = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        largest = std::max(largest, difference(ours[i], reference[i]));
    }
    return largest == 0 ? 0 : largest / scale;
}

}  // namespace strata
