// SPDX-License-Identifier: MIT
#include "analyze/line_fit.h"

#include "base/error.h"

#include <fmt/format.h>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

// The weighted sums of a line fit, about the centre so that nothing cancels.
struct Moments {
    double weight = 0;
    double x = 0;  // means
    double y = 0;
    double xx = 0;  // sums of products of deviations
    double xy = 0;
    double yy = 0;
};

std::vector<double> weights_of(std::span<const double> y, Weighting weighting) {
    std::vector<double> weights(y.size(), 1.0);
    for (std::size_t i = 0; i < y.size() && weighting == Weighting::relative; ++i) {
        weights[i] = 1 / (y[i] * y[i]);
    }
    return weights;
}

Moments moments_of(std::span<const double> x, std::span<const double> y,
                   std::span<const double> weights) {
    Moments m;
    for (std::size_t i = 0; i < x.size(); ++i) {
        m.weight += weights[i];
        m.x += weights[i] * x[i];
        m.y += weights[i] * y[i];
    }
    m.x /= m.weight;
    m.y /= m.weight;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double dx = x[i] - m.x, dy = y[i] - m.y;
        m.xx += weights[i] * dx * dx;
        m.xy += weights[i] * dx * dy;
        m.yy += weights[i] * dy * dy;
    }
    return m;
}

bool can_fit(std::span<const double> x, std::span<const double> y, Weighting weighting) {
    const auto finite = [](double value) { return std::isfinite(value); };
    const auto positive = [](double value) { return value > 0; };
    return x.size() >= 3 && std::ranges::min(x) < std::ranges::max(x) &&
           std::ranges::all_of(x, finite) && std::ranges::all_of(y, finite) &&
           (weighting == Weighting::equal || std::ranges::all_of(y, positive));
}

// Computes fitted values and the points' deviations; returns the weighted sum of squares.
double compare(LineFit& fit, std::span<const double> x, std::span<const double> y,
               std::span<const double> weights) {
    double squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        fit.fitted.push_back(fit.intercept + fit.slope * x[i]);
        const double residual = y[i] - fit.fitted[i];
        squares += weights[i] * residual * residual;
        const double share = y[i] == 0 ? 0 : std::abs(residual / y[i]);
        if (share > fit.worst) {
            fit.worst = share;
            fit.worst_point = i;
        }
    }
    return squares;
}

Interval around(double value, double half_width) {
    return {value - half_width, value + half_width};
}

}  // namespace

std::optional<LineFit> fit_line(std::span<const double> x, std::span<const double> y,
                                Weighting weighting) {
    check(x.size() == y.size(), "a point has an x and a y");
    if (!can_fit(x, y, weighting)) {
        return std::nullopt;
    }
    const auto weights = weights_of(y, weighting);
    const Moments m = moments_of(x, y, weights);
    LineFit fit;
    fit.slope = m.xy / m.xx;
    fit.intercept = m.y - fit.slope * m.x;
    const double squares = compare(fit, x, y, weights);
    const double deviation = std::sqrt(squares / static_cast<double>(x.size() - 2));
    const boost::math::students_t scatter(static_cast<double>(x.size() - 2));
    const double t = boost::math::quantile(scatter, 0.975);
    fit.slope_interval = around(fit.slope, t * deviation / std::sqrt(m.xx));
    fit.intercept_interval =
        around(fit.intercept, t * deviation * std::sqrt(1 / m.weight + m.x * m.x / m.xx));
    fit.r_squared = m.yy > 0 ? 1 - squares / m.yy : 1;
    return fit;
}

std::string misfit_of(const LineFit& fit) {
    if (!(fit.slope > 0)) {
        return "time does not grow with the work";
    }
    if (fit.worst > worst_that_fits) {
        return fmt::format("a point lies {:.0f} % off the line", 100 * fit.worst);
    }
    return {};
}

}  // namespace strata
