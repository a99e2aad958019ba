// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace strata {

// A residual, ln(measured / predicted), and what it counts.
struct WeightedResidual {
    double value = 0;
    double weight = 1;
};

// How residuals are distributed. Those of problems that were measured together err together, so
// each group of them (a device, a part of the sizes) counts once, however many problems it has.
class ResidualDistribution {
public:
    // So many groups, the sum of the weights.
    ResidualDistribution() = default;
    explicit ResidualDistribution(std::vector<WeightedResidual> residuals);

    bool is_empty() const { return sorted_.empty(); }
    double groups() const { return groups_; }
    // The residual that this share of the weight is not above. Requires: not empty.
    double quantile(double share) const;
    // The share of the weight below a residual, half of it where both are equal.
    double share_below(double residual) const;

    // What to expect of one more group: what the measured ones had and, counting as `wider_groups`
    // more, what a wider circle of them had: the mean of a Dirichlet process (Ferguson 1973). The
    // fewer groups were measured, the more counts the wider circle.
    ResidualDistribution with(const ResidualDistribution& wider) const;

private:
    std::vector<WeightedResidual> sorted_;  // by value
    double groups_ = 0;
};

}  // namespace strata
