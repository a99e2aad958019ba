// SPDX-License-Identifier: MIT
#include "published/reproduction.h"

#include "published/counts.h"
#include "published/formulas.h"

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

double combinations_of(const Grid& grid) {
    double combinations = 1;
    for (const auto& axis : grid) {
        combinations *= static_cast<double>(axis.size());
    }
    return combinations;
}

double ours_of(const PublishedNumber& number, CountedNetworks& networks) {
    if (number.formula) {
        return number.times * evaluate(*number.formula);
    }
    if (!number.grid.empty()) {
        return number.times * combinations_of(number.grid);
    }
    double ours = count(number.counted, networks);
    if (number.minus) {
        ours -= count(*number.minus, networks);
    }
    if (number.over) {
        ours /= count(*number.over, networks);
    }
    return number.times * ours;
}

// Sums and quotients of numbers up to 1e16 carry the rounding of their last bits.
bool same(double a, double b) {
    return std::abs(a - b) <= 1e-14 * std::max(std::abs(a), std::abs(b));
}

bool is_within(double ours, const PublishedNumber& number) {
    const double slack = 1e-9 * number.tolerance;
    return std::abs(ours - number.published) <= number.tolerance + slack;
}

Verdict verdict_on(double ours, const PublishedNumber& number) {
    const bool exact = same(ours, number.exact.value_or(number.published));
    const bool near = exact || is_within(ours, number);
    if (exact) {
        return Verdict::equal;
    }
    if (near && !number.exact) {
        return Verdict::within;
    }
    return number.differs.empty() ? Verdict::unexplained : Verdict::differs;
}

}  // namespace

double difference_of(const Comparison& comparison) {
    const PublishedNumber& number = comparison.number;
    return comparison.ours - number.exact.value_or(number.published);
}

bool agrees(const Reproduced& reproduced) {
    return std::ranges::find(reproduced.comparisons, Verdict::unexplained, &Comparison::verdict) ==
           reproduced.comparisons.end();
}

Reproduced reproduce(const Reproduction& reproduction) {
    Reproduced reproduced{reproduction, {}};
    CountedNetworks networks;
    for (const PublishedNumber& number : reproduction.numbers) {
        const double ours = ours_of(number, networks);
        reproduced.comparisons.push_back({number, ours, verdict_on(ours, number)});
    }
    return reproduced;
}

}  // namespace strata
