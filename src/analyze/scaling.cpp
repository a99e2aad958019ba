// SPDX-License-Identifier: MIT
#include "analyze/scaling.h"

#include <fmt/format.h>
#include <boost/math/distributions/fisher_f.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace strata {

namespace {

// For one serial share: the best-fitting time with one thread, and the remaining sum of squared
// relative errors.
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

// Groups of timed runs that differ only in their batch or threads, by that number.
using RunsByNumber = std::map<std::int64_t, const Observation*>;
std::vector<RunsByNumber> runs_apart_in(std::int64_t Observation::*number,
                                        std::span<const Observation* const> runs) {
    std::map<std::string, RunsByNumber> groups;
    for (const Observation* run : runs) {
        if (run->time && run->*number > 0) {
            const std::int64_t other = number == &Observation::batch ? run->threads : run->batch;
            groups[fmt::format("{}\n{}\n{}\n{}\n{}", run->backend, run->network, run->mode,
                               run->dtype, other)][run->*number] = run;
        }
    }
    std::vector<RunsByNumber> varied;
    for (auto& [identity, group] : groups) {
        if (group.size() > 1) {
            varied.push_back(std::move(group));
        }
    }
    return varied;
}

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
    std::vector<ThreadSweep> sweeps;
    for (const auto& by_threads : runs_apart_in(&Observation::threads, runs)) {
        ThreadSweep& sweep = sweeps.emplace_back();
        sweep.first = by_threads.begin()->second;
        for (const auto& [threads, run] : by_threads) {
            sweep.points.push_back({static_cast<double>(threads), run->time->median});
        }
        sweep.fit = fit_amdahl(sweep.points);
    }
    return sweeps;
}

std::vector<BatchSweep> batch_sweeps(std::span<const Observation* const> runs) {
    std::vector<BatchSweep> sweeps;
    for (const auto& by_batch : runs_apart_in(&Observation::batch, runs)) {
        BatchSweep& sweep = sweeps.emplace_back();
        sweep.first = by_batch.begin()->second;
        for (const auto& [batch, run] : by_batch) {
            const auto examples = static_cast<double>(batch);
            const ObservedTime& time = *run->time;
            sweep.points.push_back({batch,
                                    {examples / time.median.value, examples / time.high.value,
                                     examples / time.low.value}});
        }
        sweep.saturation = *saturation_of(sweep.points);
    }
    return sweeps;
}

}  // namespace strata
