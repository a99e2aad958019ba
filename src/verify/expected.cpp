// SPDX-License-Identifier: MIT
#include "verify/expected.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace strata {

double tolerance_of(const SumShape& sum, const Execution& execution, std::string_view algorithm) {
    const double transformed = algorithm.find("winograd") != algorithm.npos ? 4 : 1;
    const double serial = 0x1p-24 * (256 + 12 * std::sqrt(sum.length)) * transformed;
    if (execution.numerics.dtype != DataType::f32) {
        return 0x1p-7 + serial;
    }
    const bool by_tf32 =
        execution.numerics.single_precision == SinglePrecision::tf32 && sum.length > 1;
    return by_tf32 ? 0x1p-8 + serial : serial;
}

double smallest_scale(DataType dtype) {
    return dtype == DataType::f16 ? 0x1p-12 : 0;
}

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
    check(ours.size() == reference.size(), "only tensors of equal shape are compared");
    double largest = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        largest = std::max(largest, difference(ours[i], reference[i]));
    }
    return largest == 0 ? 0 : largest / scale;
}

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
