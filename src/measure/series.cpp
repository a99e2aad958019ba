// SPDX-License-Identifier: MIT
#include "measure/series.h"

#include "base/error.h"
#include "measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace strata {
namespace {

constexpr std::size_t min_samples_for_dependence = 16;
constexpr std::size_t max_lags = 500;  // bounds the work on long series
constexpr double one_percent_one_sided = 2.326;
constexpr std::size_t min_samples_for_trend = 10;
constexpr std::size_t max_trend_points = 400;  // 80 000 slopes: a few milliseconds

double sign_of(double value) {
    return value > 0 ? 1 : value < 0 ? -1 : 0;
}

// Values that differ only by rounding count as equal.
std::vector<double> signs_about_median(std::span<const Seconds> values) {
    const Seconds middle = median_of(values);
    const double rounding = 1e-12 * std::abs(values.front().value);
    std::vector<double> signs;
    signs.reserve(values.size());
    for (const Seconds value : values) {
        const double distance = (value - middle).value;
        signs.push_back(std::abs(distance) <= rounding ? 0 : sign_of(distance));
    }
    return signs;
}

double autocorrelation(std::span<const double> signs, std::size_t lag) {
    double products = 0;
    double squares = 0;
    for (std::size_t i = 0; i < signs.size(); ++i) {
        squares += signs[i] * signs[i];
        products += i + lag < signs.size() ? signs[i] * signs[i + lag] : 0;
    }
    return squares == 0 ? 0 : products / squares;
}

// Geyer's tau. For a reversible process the sums of neighbouring lags are positive and decreasing,
// so the first one that is not is noise, and so are all later ones.
double integrated_autocorrelation(std::span<const double> signs) {
    const std::size_t last = std::min(signs.size() / 2, max_lags);
    double sum = 1 + autocorrelation(signs, 1);
    for (std::size_t lag = 2; lag + 1 < last; lag += 2) {
        const double pair = autocorrelation(signs, lag) + autocorrelation(signs, lag + 1);
        if (pair <= 0) {
            break;
        }
        sum += pair;
    }
    return 2 * sum - 1;
}

// Medians of at most `max_trend_points` blocks of nearly equal size.
std::vector<Seconds> reduced(std::span<const Seconds> values) {
    const std::size_t count = std::min(values.size(), max_trend_points);
    std::vector<Seconds> blocks;
    blocks.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t from = i * values.size() / count;
        const std::size_t to = (i + 1) * values.size() / count;
        blocks.push_back(median_of(values.subspan(from, to - from)));
    }
    return blocks;
}

// Kendall's score (rising minus falling pairs) and the slopes of all pairs.
struct Pairs {
    double score = 0;
    std::vector<Seconds> slopes;
};

Pairs pairs_of(std::span<const Seconds> values) {
    Pairs pairs;
    pairs.slopes.reserve(values.size() * (values.size() - 1) / 2);
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t j = i + 1; j < values.size(); ++j) {
            const Seconds rise = values[j] - values[i];
            pairs.score += sign_of(rise.value);
            pairs.slopes.push_back(rise / static_cast<double>(j - i));
        }
    }
    return pairs;
}

double effective_without_line(std::span<const Seconds> values, Seconds slope) {
    std::vector<Seconds> residuals(values.begin(), values.end());
    for (std::size_t i = 0; i < residuals.size(); ++i) {
        residuals[i] -= slope * static_cast<double>(i);
    }
    return effective_samples(residuals);
}

}  // namespace

double effective_samples(std::span<const Seconds> values) {
    const auto n = static_cast<double>(values.size());
    if (values.size() < min_samples_for_dependence) {
        return n;
    }
    const auto signs = signs_about_median(values);
    if (autocorrelation(signs, 1) * std::sqrt(n) < one_percent_one_sided) {
        return n;
    }
    return std::max(1.0, n / integrated_autocorrelation(signs));
}

Trend trend_of(std::span<const Seconds> values) {
    if (values.size() < min_samples_for_trend) {
        return {};
    }
    const auto points = reduced(values);
    const auto n = static_cast<double>(points.size());
    const Pairs pairs = pairs_of(points);
    const Seconds slope = median_of(pairs.slopes);
    const double dependence = n / effective_without_line(points, slope);
    const double variance = n * (n - 1) * (2 * n + 5) / 18 * dependence;
    return {.change = slope * (n - 1) / median_of(values),
            .deviations = pairs.score / std::sqrt(variance)};
}

}  // namespace strata
