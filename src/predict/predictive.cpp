// SPDX-License-Identifier: MIT
#include "predict/predictive.h"

#include "base/error.h"

#include <algorithm>
#include <iterator>

namespace strata {

namespace {

// What a wider circle counts, in groups: left-out devices and sizes are held best, for their
// widths, by 1 to 2.
constexpr double wider_groups = 1;

}  // namespace

ResidualDistribution::ResidualDistribution(std::vector<WeightedResidual> residuals)
    : sorted_(std::move(residuals)) {
    std::ranges::sort(sorted_, {}, &WeightedResidual::value);
    for (const WeightedResidual& one : sorted_) {
        groups_ += one.weight;
    }
}

double ResidualDistribution::quantile(double share) const {
    check(!is_empty(), "a quantile of something");
    double below = 0;
    for (const WeightedResidual& one : sorted_) {
        below += one.weight;
        if (below >= share * groups_) {
            return one.value;
        }
    }
    return sorted_.back().value;
}

double ResidualDistribution::share_below(double residual) const {
    double below = 0;
    for (const WeightedResidual& one : sorted_) {
        if (one.value > residual) {
            break;
        }
        below += one.value < residual ? one.weight : one.weight / 2;
    }
    return groups_ > 0 ? below / groups_ : 0.5;
}

ResidualDistribution ResidualDistribution::with(const ResidualDistribution& wider) const {
    if (wider.is_empty()) {
        return *this;
    }
    ResidualDistribution found;
    found.groups_ = groups_ + wider_groups;
    std::vector<WeightedResidual> scaled = wider.sorted_;
    for (WeightedResidual& one : scaled) {
        one.weight *= wider_groups / wider.groups_;
    }
    std::ranges::merge(sorted_, scaled, std::back_inserter(found.sorted_), {},
                       &WeightedResidual::value, &WeightedResidual::value);
    return found;
}

}  // namespace strata
