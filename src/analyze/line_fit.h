// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// Ends of a 95 % confidence interval.
struct Interval {
    double low = 0;
    double high = 0;

    bool contains(double value) const { return low <= value && value <= high; }
};

// The weighting of errors of y. `relative` weights each point by 1 / y^2, because the error of a
// time is proportional to it; otherwise small times, which determine the intercept, would hardly
// count.
enum class Weighting { relative, equal };

// y = intercept + slope * x by (weighted) least squares. Intervals use Student's t with n - 2
// degrees of freedom on the scatter about the line; they hold if a line is the right model.
struct LineFit {
    double slope = 0;
    double intercept = 0;
    Interval slope_interval;
    Interval intercept_interval;
    double r_squared = 0;         // share of the weighted variance that the line explains
    std::vector<double> fitted;   // by point
    double worst = 0;             // the largest |y - fitted| / |y|
    std::size_t worst_point = 0;  // index of that point
};

// Nothing for fewer than three points, points on one x, or values that are not finite; with
// relative weighting also if a y is not positive. Requires: as many x as y.
std::optional<LineFit> fit_line(std::span<const double> x, std::span<const double> y,
                                Weighting weighting = Weighting::relative);

// A point farther away than this is off the line.
inline constexpr double worst_that_fits = 0.1;

// Why a line does not describe the points: a point more than 10 % away, or no growth. Empty if it
// does.
std::string misfit_of(const LineFit& fit);

}  // namespace strata
