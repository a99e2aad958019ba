// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <cstddef>
#include <span>
#include <vector>

namespace strata {

// The range that an axis covers.
struct AxisSpan {
    double low = 0;
    double high = 1;
    AxisScale scale = AxisScale::linear;

    bool can_hold(double value) const;    // finite and, on a logarithmic axis, positive
    double position(double value) const;  // 0 at the low end, 1 at the high one
};

// From the smallest to the largest value that the axis can hold; a linear axis also includes 0, so
// that lengths are comparable. Never empty.
AxisSpan span_of(std::span<const double> values, AxisScale scale);

// Values of a chart along one axis.
std::vector<double> x_values(const XyChart& chart);
std::vector<double> y_values(const XyChart& chart);

// Round values within the span, 1, 2 or 5 times a power of ten, in ascending order and at most
// `maximum` of them.
std::vector<double> ticks_of(const AxisSpan& span, std::size_t maximum);

// An axis's own ticks within the span, evenly thinned to at most `maximum`; round values if it has
// none. Requires: maximum > 0.
std::vector<double> ticks_of(const XyChart::Axis& axis, const AxisSpan& span, std::size_t maximum);

}  // namespace strata
