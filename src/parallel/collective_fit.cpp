// SPDX-License-Identifier: MIT
#include "parallel/collective_fit.h"

#include "base/error.h"
#include "predict/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strata {

namespace {

constexpr std::size_t most_lines = 3;
constexpr std::size_t folds = 4;

std::vector<double> times_of(std::span<const CollectivePoint> points) {
    std::vector<double> times;
    for (const CollectivePoint& point : points) {
        times.push_back(point.time.value);
    }
    return times;
}

std::vector<CollectivePoint> by_size(std::span<const CollectivePoint> points) {
    std::vector<CollectivePoint> sorted(points.begin(), points.end());
    std::ranges::stable_sort(sorted, {}, &CollectivePoint::bytes);
    return sorted;
}

// Each line starts at a part of the sizes: its latency is the time of the smallest size there, its
// rate that of the largest.
std::vector<CollectiveLine> fit_this_many(std::span<const CollectivePoint> sorted,
                                          std::size_t count) {
    std::vector<double> latencies(count), costs(count);  // seconds; seconds per byte
    for (std::size_t i = 0; i < count; ++i) {
        const CollectivePoint& first = sorted[i * (sorted.size() - 1) / count];
        const CollectivePoint& last = sorted[(i + 1) * (sorted.size() - 1) / count];
        latencies[i] = first.time.value;
        costs[i] = last.time.value / last.bytes.value;
    }
    std::vector<FitParameter> parameters;
    for (std::size_t i = 0; i < count; ++i) {
        // A weak pull keeps a parameter in place that no point decides.
        parameters.push_back({&latencies[i], 1e-3});
        parameters.push_back({&costs[i], 1e-3});
    }
    const auto lines_now = [&] {
        std::vector<CollectiveLine> lines;
        for (std::size_t i = 0; i < count; ++i) {
            lines.push_back({Seconds{latencies[i]}, Bandwidth{1 / costs[i]}});
        }
        return lines;
    };
    fit(
        parameters, times_of(sorted),
        [&](std::span<double> predicted) {
            const auto lines = lines_now();
            for (std::size_t i = 0; i < sorted.size(); ++i) {
                predicted[i] = time_of(lines, sorted[i].bytes).value;
            }
        },
        FitSearch::slopes_and_single_moves);
    return lines_now();
}

// Each point's time by lines fitted to the others; every fourth point is left out at a time.
std::vector<Seconds> left_out_times(std::span<const CollectivePoint> sorted, std::size_t lines) {
    std::vector<Seconds> times(sorted.size());
    for (std::size_t fold = 0; fold < folds; ++fold) {
        std::vector<CollectivePoint> kept;
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            if (i % folds != fold) {
                kept.push_back(sorted[i]);
            }
        }
        const auto fitted = fit_this_many(kept, lines);
        for (std::size_t i = fold; i < sorted.size(); i += folds) {
            times[i] = time_of(fitted, sorted[i].bytes);
        }
    }
    return times;
}

double left_out_error_with(std::span<const CollectivePoint> sorted, std::size_t lines,
                           Bytes smallest) {
    const auto times = left_out_times(sorted, lines);
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (sorted[i].bytes >= smallest) {
            sum += std::abs(times[i] / sorted[i].time - 1);
            ++count;
        }
    }
    return count > 0 ? sum / count : 0;
}

std::size_t best_count(std::span<const CollectivePoint> sorted) {
    std::size_t best = 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t lines = 1; lines <= most_lines && sorted.size() >= 4 * lines; ++lines) {
        const double error = left_out_error_with(sorted, lines, {});
        if (error < least) {
            least = error;
            best = lines;
        }
    }
    return best;
}

std::optional<AlgorithmFit> fit_algorithm(CollectiveAlgorithm algorithm,
                                          std::span<const CollectivePoint> points) {
    for (const CollectivePoint& point : points) {
        if (!time_of(point.collective, algorithm, point.devices, point.bytes,
                     {Seconds{1}, Bandwidth{1}})) {
            return {};
        }
    }
    const auto by_bytes = [](const CollectivePoint& a, const CollectivePoint& b) {
        return a.bytes < b.bytes;
    };
    const auto [least, most] = std::ranges::minmax_element(points, by_bytes);
    double alpha = least->time.value / least->devices;
    double beta = most->time.value / most->bytes.value / 2;
    double gamma = beta / 2;
    const bool sums = points.front().collective == Collective::all_reduce ||
                      points.front().collective == Collective::reduce_scatter;
    std::vector<FitParameter> parameters = {{&alpha, 1e-3}, {&beta, 1e-3}};
    if (sums) {
        parameters.push_back({&gamma, 1e-3});
    }
    const auto cost = [&] {
        LinkCost now{.latency = Seconds{alpha}, .bandwidth = Bandwidth{1 / beta}};
        if (sums) {
            now.reduction = Bandwidth{1 / gamma};
        }
        return now;
    };
    const auto predict = [&](std::span<double> predicted) {
        const LinkCost now = cost();
        for (std::size_t i = 0; i < points.size(); ++i) {
            const CollectivePoint& point = points[i];
            predicted[i] =
                time_of(point.collective, algorithm, point.devices, point.bytes, now)->value;
        }
    };
    fit(parameters, times_of(points), predict);
    std::vector<double> predicted(points.size());
    predict(predicted);
    double error = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        error += std::abs(predicted[i] / points[i].time.value - 1);
    }
    return AlgorithmFit{algorithm, cost(), error / static_cast<double>(points.size())};
}

}  // namespace

std::vector<CollectiveLine> fit_lines(std::span<const CollectivePoint> points) {
    check(!points.empty(), "a fit has points");
    const auto sorted = by_size(points);
    return fit_this_many(sorted, best_count(sorted));
}

std::optional<double> left_out_error(std::span<const CollectivePoint> points, Bytes smallest) {
    if (points.size() < 2 * folds) {
        return {};
    }
    const auto sorted = by_size(points);
    return left_out_error_with(sorted, best_count(sorted), smallest);
}

std::vector<LeftOutPoint> left_out_points(std::span<const CollectivePoint> points) {
    std::vector<LeftOutPoint> found;
    if (points.size() >= 2 * folds) {
        const auto sorted = by_size(points);
        const auto times = left_out_times(sorted, best_count(sorted));
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            found.push_back({sorted[i], times[i]});
        }
    }
    return found;
}

std::vector<AlgorithmFit> fit_algorithms(std::span<const CollectivePoint> points) {
    check(!points.empty(), "a fit has points");
    std::vector<AlgorithmFit> fits;
    for (const CollectiveAlgorithm algorithm : all_collective_algorithms) {
        if (auto found = fit_algorithm(algorithm, points)) {
            fits.push_back(*found);
        }
    }
    std::ranges::stable_sort(fits, {}, &AlgorithmFit::error);
    return fits;
}

}  // namespace strata
