// SPDX-License-Identifier: MIT
#include "predict/accuracy.h"

#include "base/error.h"
#include "predict/folds.h"
#include "predict/gpu_rates.h"
#include "predict/interval.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace strata {

namespace {

double quantile(std::vector<double>& values, double share) {
    const auto at = std::min(values.size() - 1,
                             static_cast<std::size_t>(share * static_cast<double>(values.size())));
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(at));
    return values[at];
}

// The same errors for long rows only: short times are mostly launches and noise.
void add_long_ones(const std::string& device, const std::string& name, const char* split,
                   const std::vector<Seconds>& times, const std::vector<Seconds>& measured,
                   std::vector<AccuracyRow>& found) {
    constexpr Seconds long_enough{1e-3};
    std::vector<Seconds> long_times, long_measured;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (measured[i] > long_enough) {
            long_times.push_back(times[i]);
            long_measured.push_back(measured[i]);
        }
    }
    if (long_times.size() >= folds) {
        found.push_back(
            {device, name + ", over 1 ms", split, errors_of(long_times, long_measured)});
    }
}

// How often the intervals of these predictions hold the measured times.
double share_covered(const MeasuredClass& measured, std::span<const Seconds> times,
                     const DeviceRates& own, const DeviceRates& used) {
    ProblemRow unnamed = without_kernel(*measured.rows.front());
    const IntervalRule rule(resembled_by(unnamed, measured.device, own, used, false));
    std::optional<IntervalRule> named;
    std::size_t held = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const ProblemRow& row = *measured.rows[i];
        if (names_kernel(row) && !named) {
            named.emplace(resembled_by(row, measured.device, own, used, false));
        }
        const TimeInterval found = (names_kernel(row) ? *named : rule).interval(times[i]);
        held += *row.measured >= found.low && *row.measured <= found.high ? 1U : 0U;
    }
    return static_cast<double>(held) / static_cast<double>(times.size());
}

void add_class(const MeasuredClass& measured, std::vector<AccuracyRow>& found) {
    const MeasuredRows& rows = measured.rows;
    const DeviceDescription& device = measured.device;
    std::vector<Seconds> times_measured, ceilings;
    for (const ProblemRow* const row : rows) {
        times_measured.push_back(*row->measured);
        ceilings.push_back(roofline(*row, device));
    }
    const auto add = [&](const char* split, const std::vector<Seconds>& times) {
        found.push_back(
            {device.name, measured.problem_class, split, errors_of(times, times_measured)});
        if (std::holds_alternative<ConvolutionRow>(rows.front()->problem)) {
            add_long_ones(device.name, measured.problem_class, split, times, times_measured, found);
        }
    };
    add("roofline", ceilings);
    add("uncalibrated", predict_rows(rows, device, {}));
    const DeviceRates calibrated = rates_of(device.name);
    const DeviceRates used = rates_for_problems(device);
    const auto as_used = predict_rows(rows, device, used);
    const double covered = share_covered(measured, as_used, calibrated, used);
    const std::size_t first = found.size();
    add(has_class(calibrated, measured.problem_class) ? "calibrated" : "predicted", as_used);
    found[first].covered = covered;
    add("cross-validated", cross_validated(measured, cross_rates(measured)));
    if (const auto times = left_out(measured, calibrated)) {
        add("left-out", *times);
    }
}

}  // namespace

PredictionErrors errors_of(std::span<const Seconds> predicted, std::span<const Seconds> measured) {
    check(predicted.size() == measured.size() && !measured.empty(), "a prediction of each time");
    std::vector<double> errors;
    Seconds sum_predicted, sum_measured;
    for (std::size_t i = 0; i < measured.size(); ++i) {
        errors.push_back(std::abs(predicted[i] / measured[i] - 1));
        sum_predicted += predicted[i];
        sum_measured += measured[i];
    }
    PredictionErrors found{.n = errors.size()};
    found.mape =
        std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
    found.median = quantile(errors, 0.5);
    found.p90 = quantile(errors, 0.9);
    found.signed_sum = sum_predicted / sum_measured - 1;
    return found;
}

std::vector<AccuracyRow> accuracy_of(std::span<const ProblemRow* const> rows) {
    MeasuredRowsByClass by_class;
    group(rows, by_class);
    std::vector<AccuracyRow> found;
    for (const MeasuredClass& measured : by_class.classes) {
        add_class(measured, found);
    }
    return found;
}

}  // namespace strata
