// SPDX-License-Identifier: MIT
#include "published/reproduction.h"

#include "published/counts.h"

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

double ours_of(const PublishedNumber& number, CountedNetworks& networks,
               const ReleaseReader& release, const SpeedupModel& speedup) {
    if (number.speedup) {
        const double ours = speedup(number.counted, *number.speedup);
        return number.above ? double(ours > speedup(number.counted, *number.above)) : ours;
    }
    if (number.release) {
        return number.times * release(*number.release);
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

// Sums and quotients of numbers up to 1e16 have rounding errors in their last bits.
bool same(double a, double b) {
    return std::abs(a - b) <= 1e-14 * std::max(std::abs(a), std::abs(b));
}

Agreement verdict_on(double ours, const PublishedNumber& number) {
    if (same(ours, number.published)) {
        return Agreement::equal;
    }
    if (std::abs(ours - number.published) <= number.tolerance * (1 + 1e-9)) {
        return Agreement::within;
    }
    return number.differs.empty() ? Agreement::unexplained : Agreement::differs;
}

ComparedNumber compared(const PublishedNumber& number, double ours) {
    const Agreement verdict = verdict_on(ours, number);
    return {.quantity = number.name,
            .basis = number.basis,
            .where = number.where,
            .published = number.published,
            .tolerance = number.tolerance,
            .ours = ours,
            .method = number.method,
            .verdict = verdict,
            .reason = verdict == Agreement::differs ? number.differs : std::string()};
}

Tally tally_of(std::span<const Reproduced> reproduced, Basis basis, Method method) {
    Tally tally{basis, method};
    for (const Reproduced& one : reproduced) {
        for (const ComparedNumber& comparison : one.comparisons) {
            if (comparison.basis == basis && comparison.method == method) {
                ++tally.verdicts[static_cast<std::size_t>(comparison.verdict)];
            }
        }
    }
    return tally;
}

}  // namespace

bool agrees(const Reproduced& reproduced) {
    return std::ranges::find(reproduced.comparisons, Agreement::unexplained,
                             &ComparedNumber::verdict) == reproduced.comparisons.end();
}

std::vector<Tally> tallies_of(std::span<const Reproduced> reproduced) {
    std::vector<Tally> tallies;
    for (const auto basis : {Basis::printed, Basis::digitised, Basis::artifact, Basis::derived}) {
        for (const auto method : {Method::counted, Method::modelled, Method::computed}) {
            const Tally tally = tally_of(reproduced, basis, method);
            if (std::ranges::any_of(tally.verdicts, [](std::size_t count) { return count > 0; })) {
                tallies.push_back(tally);
            }
        }
    }
    return tallies;
}

Reproduced reproduce(const Reproduction& reproduction, const ReleaseReader& release,
                     const SpeedupModel& speedup) {
    Reproduced reproduced{reproduction, {}};
    CountedNetworks networks;
    for (const PublishedNumber& number : reproduction.numbers) {
        reproduced.comparisons.push_back(
            compared(number, ours_of(number, networks, release, speedup)));
    }
    return reproduced;
}

}  // namespace strata
