// SPDX-License-Identifier: MIT
#include "measure/ratio.h"

#include "base/error.h"
#include "base/random.h"
#include "measure/series.h"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>

namespace strata {
namespace {

constexpr std::size_t resamples = 2000;
constexpr double widest = 1000;  // a factor beyond which an interval carries no information
constexpr double normal_quantile = 1.959963984540054;  // quantile of 97.5 %

// The samples of one launch, prepared for drawing medians.
struct PreparedLaunch {
    std::vector<Seconds> ordered;
    double effective = 0;
};

std::vector<PreparedLaunch> prepared(const Launches& launches) {
    check(!launches.samples.empty(), "a median needs at least one launch");
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
// 62, 1994): T has Student's t distribution with 2a degrees of freedom, and T / sqrt(2a + T^2) is
// the centred variable, twice as wide.
double symmetric_beta(double a, double first, double second) {
    if (std::isinf(a)) {
        return 0.5;
    }
    const double freedom = 2 * a;
    const double radius = std::sqrt(freedom * (std::pow(1 - first, -2 / freedom) - 1));
    const double student = radius * std::cos(2 * std::numbers::pi * second);
    return 0.5 + student / (2 * std::sqrt(freedom + student * student));
}

double median_in_place(std::vector<double>& values) {
    const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, upper);
    return values.size() % 2 == 1 ? *upper
                                  : (*std::max_element(values.begin(), upper) + *upper) / 2;
}

// The draws of one side, each reproducible by its number.
class Resampler {
public:
    Resampler(const Launches& launches, std::uint64_t stream)
        : launches_(prepared(launches)), random_(0, stream), medians_(launches_.size()) {}

    std::size_t count() const { return launches_.size(); }
    double median_of_launch(std::size_t place) const {
        return at_share(launches_[place].ordered, 0.5);
    }
    double median() {
        for (std::size_t i = 0; i < count(); ++i) {
            medians_[i] = median_of_launch(i);
        }
        return median_in_place(medians_);
    }

    std::size_t draw_launch() {
        const auto place = static_cast<std::size_t>(uniform() * static_cast<double>(count()));
        return std::min(place, count() - 1);
    }
    // If launches were resampled, their spread includes the error of each.
    double draw_median_of_launch(std::size_t place) {
        if (count() >= min_launches_for_interval) {
            return median_of_launch(place);
        }
        const PreparedLaunch& launch = launches_[place];
        const double first = uniform();
        return at_share(launch.ordered,
                        symmetric_beta((launch.effective + 1) / 2, first, uniform()));
    }
    double draw_median() {
        for (double& median : medians_) {
            median = draw_median_of_launch(draw_launch());
        }
        return median_in_place(medians_);
    }

private:
    double uniform() { return random_.uniform(next_++); }

    std::vector<PreparedLaunch> launches_;
    RandomStream random_;
    std::uint64_t next_ = 0;
    std::vector<double> medians_;
};

// The median of the means of all pairs, including each value with itself. `means` is scratch
// memory.
double hodges_lehmann(const std::vector<double>& values, std::vector<double>& means) {
    means.clear();
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t k = i; k < values.size(); ++k) {
            means.push_back((values[i] + values[k]) / 2);
        }
    }
    return median_in_place(means);
}

// The centre of partly disturbed values: Tukey's biweight, whose weights fall to 0 at a distance of
// `reach` (Mosteller and Tukey 1977). It starts at the median; without a reach it is the median.
double biweight(const std::vector<double>& values, double reach, std::vector<double>& room) {
    room = values;
    double centre = median_in_place(room);
    constexpr int max_rounds = 10;
    constexpr double settled = 1e-3;  // relative to the reach, which is a few deviations
    double step = reach;
    for (int round = 0; round < max_rounds && std::abs(step) > settled * reach; ++round) {
        double weights = 0;
        double sum = 0;
        for (const double value : values) {
            const double distance = (value - centre) / reach;
            const double root = std::max(0.0, 1 - distance * distance);
            weights += root * root;
            sum += root * root * (value - centre);
        }
        step = weights > 0 ? sum / weights : 0;
        centre += step;
    }
    return centre;
}

// The summary of the neighbours' ratios: few by Hodges and Lehmann, since their spread hardly shows
// which ones are disturbed.
class Summary {
public:
    explicit Summary(const std::vector<double>& changes) {
        constexpr std::size_t enough = 7;
        constexpr double efficient = 4.685;  // in deviations: 95 % of the mean's efficiency for
                                             // normal values (Holland and Welsch 1977)
        if (changes.size() >= enough) {
            std::vector<double> distances = changes;
            const double middle = median_in_place(distances);
            std::ranges::transform(changes, distances.begin(),
                                   [&](double change) { return std::abs(change - middle); });
            reach_ = efficient * 1.4826 * median_in_place(distances);
        }
    }

    double of(const std::vector<double>& changes) {
        return reach_ ? biweight(changes, *reach_, room_) : hodges_lehmann(changes, room_);
    }

private:
    std::optional<double> reach_ = {};
    std::vector<double> room_ = {};
};

// The correction of the draws' interval if few launches were resampled.
struct SmallSample {
    double degrees_of_freedom = std::numeric_limits<double>::infinity();
    double widening = 1;  // of the draws' interval, which is too narrow
};

SmallSample small_sample(std::initializer_list<std::size_t> counts) {
    double freedom = 0;
    double fewest = std::numeric_limits<double>::infinity();
    for (const std::size_t count : counts) {
        if (count > 1) {
            freedom += static_cast<double>(count) - 1;
            fewest = std::min(fewest, static_cast<double>(count));
        }
    }
    if (freedom == 0) {
        return {};
    }
    const double student =
        boost::math::quantile(boost::math::students_t_distribution<double>(freedom), 0.975);
    return {freedom, student / normal_quantile * std::sqrt(fewest / (fewest - 1))};
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

// In logarithms.
Ratio ratio_from(double centre, std::vector<double> draws, const SmallSample& sample) {
    const auto [low, high] = interval_of(std::move(draws), centre, sample.widening);
    return widened({std::exp(centre), std::exp(low), std::exp(high), sample.degrees_of_freedom}, 0);
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
    // (On a logarithmic scale, so that a wide interval ends above 0; a time of 0 has no logarithm.)
    const bool is_logarithmic = is_positive(launches);
    Resampler side(launches, 1);
    Estimate result;
    result.median = Seconds{side.median()};
    const auto scaled = [&](double time) { return is_logarithmic ? std::log(time) : time; };
    const auto time_of = [&](double value) {
        return is_logarithmic ? std::clamp(Seconds{std::exp(value)}, result.median / widest,
                                           result.median * widest)
                              : Seconds{std::max(0.0, value)};
    };
    std::vector<double> draws(resamples);
    std::ranges::generate(draws, [&] { return scaled(side.draw_median()); });
    const auto [low, high] = interval_of(std::move(draws), scaled(result.median.value),
                                         small_sample({side.count()}).widening);
    result.low = std::min(result.median, time_of(low));
    result.high = std::max(result.median, time_of(high));
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
    std::ranges::generate(draws, [&] { return std::log(other.draw_median() / one.draw_median()); });
    return ratio_from(centre, std::move(draws), small_sample({one.count(), other.count()}));
}

Ratio ratio_of_pairs(const Launches& before, const Launches& after) {
    check(before.samples.size() == after.samples.size() && before.samples.size() > 1,
          "pairs have two sides");
    Resampler one(before, 1);
    Resampler other(after, 2);
    std::vector<double> changes(one.count());
    for (std::size_t i = 0; i < changes.size(); ++i) {
        changes[i] = std::log(other.median_of_launch(i) / one.median_of_launch(i));
    }
    Summary summary(changes);
    const double centre = summary.of(changes);
    std::vector<double> draws(resamples);
    std::ranges::generate(draws, [&] {
        for (double& change : changes) {
            const std::size_t place = one.draw_launch();
            change =
                std::log(other.draw_median_of_launch(place) / one.draw_median_of_launch(place));
        }
        return summary.of(changes);
    });
    return ratio_from(centre, std::move(draws), small_sample({changes.size()}));
}

Ratio widened(const Ratio& ratio, double share) {
    const double factor = 1 + share;
    return {ratio.value, std::max(ratio.low / factor, ratio.value / widest),
            std::min(ratio.high * factor, ratio.value * widest), ratio.degrees_of_freedom,
            ratio.confidence};
}

namespace {

// Student's distribution: the number of deviations around the centre that contain this share.
double student_quantile(double degrees_of_freedom, double confidence) {
    const double below = (1 + confidence) / 2;
    if (std::isinf(degrees_of_freedom)) {
        return boost::math::quantile(boost::math::normal_distribution<double>(), below);
    }
    return boost::math::quantile(boost::math::students_t_distribution<double>(degrees_of_freedom),
                                 below);
}

}  // namespace

Ratio with_deviation(const Ratio& ratio, double deviation) {
    if (deviation == 0) {
        return ratio;
    }
    const double quantile = student_quantile(ratio.degrees_of_freedom, ratio.confidence);
    const double below = std::log(ratio.value / ratio.low) / quantile;
    const double above = std::log(ratio.high / ratio.value) / quantile;
    const double known = std::pow((below + above) / 2, 2);
    Ratio result = ratio;
    if (known > 0) {  // (an exact part has no distribution)
        const double share = 1 + deviation * deviation / known;
        result.degrees_of_freedom *= share * share;
    } else {
        result.degrees_of_freedom = std::numeric_limits<double>::infinity();
    }
    const double wider = student_quantile(result.degrees_of_freedom, ratio.confidence);
    result.low = ratio.value * std::exp(-wider * std::hypot(below, deviation));
    result.high = ratio.value * std::exp(wider * std::hypot(above, deviation));
    return widened(result, 0);
}

Ratio at_confidence(const Ratio& ratio, double confidence) {
    const double factor = student_quantile(ratio.degrees_of_freedom, confidence) /
                          student_quantile(ratio.degrees_of_freedom, ratio.confidence);
    return widened({ratio.value, ratio.value * std::pow(ratio.low / ratio.value, factor),
                    ratio.value * std::pow(ratio.high / ratio.value, factor),
                    ratio.degrees_of_freedom, confidence},
                   0);
}

double chance_of(const Ratio& ratio) {
    const double effect = std::abs(std::log(ratio.value));
    // The end of the interval nearer to 1: if samples are skewed, the other end says little.
    const double end =
        std::abs(std::log(ratio.value < 1 ? ratio.high : ratio.low) - std::log(ratio.value));
    if (end == 0) {
        return effect == 0 ? 1 : 0;
    }
    const double deviations = effect / end * student_quantile(ratio.degrees_of_freedom, 0.95);
    if (std::isinf(ratio.degrees_of_freedom)) {
        return std::erfc(deviations / std::numbers::sqrt2);
    }
    const boost::math::students_t_distribution<double> student(ratio.degrees_of_freedom);
    return 2 * boost::math::cdf(boost::math::complement(student, deviations));
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
