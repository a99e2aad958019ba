// SPDX-License-Identifier: MIT
#include "report/axis.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

constexpr std::array<double, 3> round_mantissas = {1, 2, 5};

// The smallest round number at or above the value.
double round_up(double value) {
    const double decade = std::pow(10, std::floor(std::log10(value)));
    for (const double mantissa : round_mantissas) {
        if (mantissa * decade >= value * (1 - 1e-9)) {
            return mantissa * decade;
        }
    }
    return 10 * decade;
}

std::vector<double> linear_ticks(const AxisSpan& span, std::size_t maximum) {
    const double step = round_up((span.high - span.low) / static_cast<double>(maximum));
    const auto first = static_cast<int>(std::ceil(span.low / step - 1e-9));
    const auto last = static_cast<int>(std::floor(span.high / step + 1e-9));
    std::vector<double> ticks;
    for (int i = first; i <= last && ticks.size() < maximum; ++i) {
        ticks.push_back(step * i);
    }
    return ticks;
}

// Mantissas times every `stride`-th power of ten.
std::vector<double> decade_ticks(const AxisSpan& span, std::span<const double> mantissas,
                                 int stride) {
    std::vector<double> ticks;
    const auto last = static_cast<int>(std::floor(std::log10(span.high) + 1e-9));
    for (auto power = static_cast<int>(std::floor(std::log10(span.low))); power <= last;
         power += stride) {
        for (const double mantissa : mantissas) {
            const double tick = mantissa * std::pow(10, power);
            if (tick >= span.low * (1 - 1e-9) && tick <= span.high * (1 + 1e-9)) {
                ticks.push_back(tick);
            }
        }
    }
    return ticks;
}

std::vector<double> logarithmic_ticks(const AxisSpan& span, std::size_t maximum) {
    std::vector<double> ticks = decade_ticks(span, round_mantissas, 1);
    for (int stride = 1; ticks.size() > maximum; ++stride) {
        ticks = decade_ticks(span, std::span(round_mantissas).first(1), stride);
    }
    return ticks;
}

template <class Value>
std::vector<double> values_of(const XyChart& chart, Value value) {
    std::vector<double> values;
    for (const auto& series : chart.series) {
        std::ranges::transform(series.points, std::back_inserter(values), value);
    }
    return values;
}

}  // namespace

bool AxisSpan::can_hold(double value) const {
    return std::isfinite(value) && (scale == AxisScale::linear || value > 0);
}

double AxisSpan::position(double value) const {
    return scale == AxisScale::linear ? (value - low) / (high - low)
                                      : std::log(value / low) / std::log(high / low);
}

AxisSpan span_of(std::span<const double> values, AxisScale scale) {
    AxisSpan span{.scale = scale};
    std::vector<double> held;
    std::ranges::copy_if(values, std::back_inserter(held),
                         [&](double value) { return span.can_hold(value); });
    if (scale == AxisScale::linear) {
        held.push_back(0);
    }
    if (held.empty()) {
        return {.low = 1, .high = 10, .scale = scale};
    }
    span.low = std::ranges::min(held);
    span.high = std::ranges::max(held);
    if (!(span.low < span.high)) {
        span.high = scale == AxisScale::linear ? span.low + 1 : span.low * 10;
    }
    return span;
}

std::vector<double> x_values(const XyChart& chart) {
    return values_of(chart, [](const XyChart::Point& point) { return point.x; });
}

std::vector<double> y_values(const XyChart& chart) {
    return values_of(chart, [](const XyChart::Point& point) { return point.y; });
}

std::vector<double> ticks_of(const AxisSpan& span, std::size_t maximum) {
    return span.scale == AxisScale::linear ? linear_ticks(span, maximum)
                                           : logarithmic_ticks(span, maximum);
}

std::vector<double> ticks_of(const XyChart::Axis& axis, const AxisSpan& span, std::size_t maximum) {
    std::vector<double> held;
    std::ranges::copy_if(axis.ticks, std::back_inserter(held), [&](double tick) {
        return span.can_hold(tick) && tick >= span.low && tick <= span.high;
    });
    if (held.empty()) {
        return ticks_of(span, maximum);
    }
    const std::size_t stride = (held.size() + maximum - 1) / maximum;
    std::vector<double> ticks;
    for (std::size_t i = 0; i < held.size(); i += stride) {
        ticks.push_back(held[i]);
    }
    return ticks;
}

}  // namespace strata
