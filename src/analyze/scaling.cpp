// SPDX-License-Identifier: MIT
#include "analyze/scaling.h"

#include <fmt/format.h>
#include <boost/math/distributions/fisher_f.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace strata {

namespace {

// For one serial share: the time with one thread that fits best, and the squares of the relative
// errors that are left.
struct ShareFit {
    Seconds one;
    double squares = 0;
};

ShareFit fit_share(std::span<const ThreadPoint> points, double serial) {
    double gg = 0, g = 0;
    for (const ThreadPoint& point : points) {
        const double relative = (serial + (1 - serial) / point.threads) / point.time.value;
        g += relative;
        gg += relative * relative;
    }
    ShareFit fit{Seconds{g / gg}, 0};
    for (const ThreadPoint& point : points) {
        const double predicted = fit.one.value * (serial + (1 - serial) / point.threads);
        fit.squares += std::pow(predicted / point.time.value - 1, 2);
    }
    return fit;
}

constexpr int share_steps = 10'000;

}  // namespace

std::optional<AmdahlFit> fit_amdahl(std::span<const ThreadPoint> points) {
    if (points.size() < 2) {
        return {};
    }
    AmdahlFit found;
    double fewest = fit_share(points, 0).squares;
    for (int i = 1; i <= share_steps; ++i) {
        const double share = static_cast<double>(i) / share_steps;
        const double squares = fit_share(points, share).squares;
        if (squares < fewest) {
            fewest = squares;
            found.serial = share;
        }
    }
    found.one = fit_share(points, found.serial).one;
    found.error = std::sqrt(fewest / static_cast<double>(points.size()));
    if (points.size() == 2) {
        return found;
    }
    const auto freedom = static_cast<double>(points.size() - 2);
    const double allowed =
        fewest * (1 + boost::math::quantile(boost::math::fisher_f(1, freedom), 0.95) / freedom);
    const auto is_possible = [&](int i) {
        return fit_share(points, static_cast<double>(i) / share_steps).squares <= allowed;
    };
    const int best = static_cast<int>(std::lround(found.serial * share_steps));
    int low = best, high = best;
    while (low > 0 && is_possible(low - 1)) {
        --low;
    }
    while (high < share_steps && is_possible(high + 1)) {
        ++high;
    }
    found.interval =
        Interval{static_cast<double>(low) / share_steps, static_cast<double>(high) / share_steps};
    return found;
}

std::vector<ThreadSweep> thread_sweeps(std::span<const Observation* const> runs) {
    std::map<std::string, std::map<std::int64_t, const Observation*>> groups;
    for (const Observation* run : runs) {
        if (run->time && run->threads > 0) {
            groups[fmt::format("{}\n{}\n{}\n{}\n{}", run->backend, run->network, run->batch,
                               run->mode, run->dtype)][run->threads] = run;
        }
    }
    std::vector<ThreadSweep> sweeps;
    for (const auto& [identity, by_threads] : groups) {
        if (by_threads.size() < 2) {
            continue;
        }
        ThreadSweep& sweep = sweeps.emplace_back();
        sweep.first = by_threads.begin()->second;
        for (const auto& [threads, run] : by_threads) {
            sweep.points.push_back({static_cast<double>(threads), run->time->median});
        }
        sweep.fit = fit_amdahl(sweep.points);
    }
    return sweeps;
}

}  // namespace strata
