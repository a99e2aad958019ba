// SPDX-License-Identifier: MIT
#include "measure/ratio.h"

#include "base/error.h"
#include "base/random.h"
#include "measure/series.h"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace strata {
namespace {

constexpr std::size_t resamples = 2000;
constexpr double normal_quantile = 1.959963984540054;  // of 97.5 %

// The samples of one launch, prepared for drawing medians.
struct PreparedLaunch {
    std::vector<Seconds> ordered;
    double effective = 0;
};

std::vector<PreparedLaunch> prepared(const Launches& launches) {
    check(!launches.samples.empty(), "a median needs a launch");
    std::vector<PreparedLaunch> all;
    for (const auto& samples : launches.samples) {
        check(!samples.empty(), "a median needs a sample");
        PreparedLaunch& launch = all.emplace_back();
        launch.effective = launches.is_exact ? std::numeric_limits<double>::infinity()
                                             : effective_samples(samples);
        launch.ordered = samples;
        std::ranges::sort(launch.ordered);
    }
    return all;
}

double at_share(const std::vector<Seconds>& ordered, double share) {
    const double position = share * static_cast<double>(ordered.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const auto above = std::min(below + 1, ordered.size() - 1);
    const double rest = position - std::floor(position);
    return (ordered[below] + rest * (ordered[above] - ordered[below])).value;
}

// A variable of the distribution Beta(a, a), by Bailey's polar method (Mathematics of Computation
// 62, 1994): T is of Student's distribution with 2a degrees of freedom, and T / sqrt(2a + T^2) the
// centred variable, twice as wide.
double symmetric_beta(double a, double first, double second) {
    if (std::isinf(a)) {
        return 0.5;
    }
    const double freedom = 2 * a;
    const double radius = std::sqrt(freedom * (std::pow(1 - first, -2 / freedom) - 1));
    const double student = radius * std::cos(2 * std::numbers::pi * second);
    return 0.5 + student / (2 * std::sqrt(freedom + student * student));
}

// Draws of one side, each reproducible by its number.
class Resampler {
public:
    Resampler(const Launches& launches, std::uint64_t stream)
        : launches_(prepared(launches)), random_(0, stream), medians_(launches_.size()) {}

    double median() {
        std::ranges::transform(launches_, medians_.begin(), [](const PreparedLaunch& launch) {
            return at_share(launch.ordered, 0.5);
        });
        return median_of_medians();
    }

    double draw() {
        for (double& median : medians_) {
            const auto place = static_cast<std::size_t>(uniform() * static_cast<double>(count()));
            const PreparedLaunch& launch = launches_[std::min(place, count() - 1)];
            const double first = uniform();
            median = at_share(launch.ordered,
                              symmetric_beta((launch.effective + 1) / 2, first, uniform()));
        }
        return median_of_medians();
    }

    std::size_t count() const { return launches_.size(); }

private:
    double uniform() { return random_.uniform(next_++); }

    double median_of_medians() {
        std::ranges::sort(medians_);
        const std::size_t upper = medians_.size() / 2;
        return medians_.size() % 2 == 1 ? medians_[upper]
                                        : (medians_[upper - 1] + medians_[upper]) / 2;
    }

    std::vector<PreparedLaunch> launches_;
    RandomStream random_;
    std::uint64_t next_ = 0;
    std::vector<double> medians_;
};

// How much wider the interval must be than that of the draws, which spread too little where few
// launches were resampled.
double widening(std::initializer_list<std::size_t> counts) {
    double freedom = 0;
    double fewest = std::numeric_limits<double>::infinity();
    for (const std::size_t count : counts) {
        if (count > 1) {
            freedom += static_cast<double>(count) - 1;
            fewest = std::min(fewest, static_cast<double>(count));
        }
    }
    if (freedom == 0) {
        return 1;
    }
    const double student =
        boost::math::quantile(boost::math::students_t_distribution<double>(freedom), 0.975);
    return student / normal_quantile * std::sqrt(fewest / (fewest - 1));
}

// The ends of the middle 95 % of the draws, moved away from the centre by the factor.
std::pair<double, double> interval_of(std::vector<double> draws, double centre, double factor) {
    std::ranges::sort(draws);
    const auto end = [&](double share) {
        const auto place = static_cast<std::size_t>(share * static_cast<double>(draws.size() - 1));
        return centre + factor * (draws[place] - centre);
    };
    return {std::min(centre, end(0.025)), std::max(centre, end(0.975))};
}

}  // namespace

bool is_positive(const Launches& launches) {
    return std::ranges::all_of(launches.samples, [](const std::vector<Seconds>& samples) {
        return std::ranges::all_of(samples, [](Seconds time) { return time > Seconds{0}; });
    });
}

Estimate estimate(const Launches& launches) {
    if (launches.samples.size() == 1) {
        return estimate(launches.samples.front());
    }
    Resampler side(launches, 1);
    Estimate result;
    result.median = Seconds{side.median()};
    std::vector<double> draws(resamples);
    std::ranges::generate(draws, [&] { return side.draw(); });
    const auto [low, high] =
        interval_of(std::move(draws), result.median.value, widening({side.count()}));
    result.low = Seconds{std::max(0.0, low)};
    result.high = Seconds{high};
    result.minimum = result.median;
    for (const auto& samples : launches.samples) {
        result.minimum = std::min(result.minimum, *std::ranges::min_element(samples));
        result.samples += samples.size();
    }
    return result;
}

Ratio ratio_of_medians(const Launches& before, const Launches& after) {
    Resampler one(before, 1);
    Resampler other(after, 2);
    const double centre = std::log(other.median() / one.median());
    std::vector<double> draws(resamples);
    std::ranges::generate(draws, [&] { return std::log(other.draw() / one.draw()); });
    const auto [low, high] =
        interval_of(std::move(draws), centre, widening({one.count(), other.count()}));
    return widened({std::exp(centre), std::exp(low), std::exp(high)}, 0);
}

Ratio widened(const Ratio& ratio, double share) {
    constexpr double most = 1000;  // beyond that an interval says nothing more
    const double factor = 1 + share;
    return {ratio.value, std::max(ratio.low / factor, ratio.value / most),
            std::min(ratio.high * factor, ratio.value * most)};
}

double chance_of(const Ratio& ratio) {
    const double effect = std::abs(std::log(ratio.value));
    // The end of the interval towards 1: where samples are skewed, the other end says little.
    const double end =
        std::abs(std::log(ratio.value < 1 ? ratio.high : ratio.low) - std::log(ratio.value));
    if (end == 0) {
        return effect == 0 ? 1 : 0;
    }
    return std::erfc(effect / (end / normal_quantile) / std::numbers::sqrt2);
}

std::vector<bool> discoveries(std::span<const double> chances, double false_share) {
    std::vector<std::size_t> order(chances.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return chances[i]; });
    std::size_t rejected = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        const double bound =
            false_share * static_cast<double>(rank + 1) / static_cast<double>(chances.size());
        rejected = chances[order[rank]] <= bound ? rank + 1 : rejected;
    }
    std::vector<bool> found(chances.size());
    for (std::size_t rank = 0; rank < rejected; ++rank) {
        found[order[rank]] = true;
    }
    return found;
}

}  // namespace strata
