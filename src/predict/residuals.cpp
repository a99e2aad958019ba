// SPDX-License-Identifier: MIT
#include "predict/residuals.h"

#include "predict/folds.h"
#include "predict/residual_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace strata {

namespace {

constexpr std::size_t most_measured_rows = 600;  // of a class and device
constexpr std::size_t most_fitted_rows = 240;    // of these: a fit to so many takes seconds
constexpr std::size_t largest_parts = 3;         // that smaller rows predict

ResidualSet set_of(const MeasuredClass& measured, ResidualSplit split,
                   const std::vector<Seconds>& predicted) {
    ResidualSet set{measured.device.name, measured.problem_class, split};
    const std::vector<std::size_t> fold_of = folds_of(measured.rows);
    for (std::size_t i = 0; i < predicted.size(); ++i) {
        set.residuals.push_back({.predicted = predicted[i],
                                 .value = std::log(*measured.rows[i]->measured / predicted[i]),
                                 .part = fold_of[i]});
    }
    return set;
}

// The largest fifth of the rows, of the rest, and of what then remains, by rates fitted to those
// that are smaller.
ResidualSet beyond_of(const MeasuredClass& measured, const std::vector<Seconds>& sizes) {
    std::vector<std::size_t> order(sizes.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return sizes[i]; });
    MeasuredClass found = measured;
    found.rows.clear();
    std::vector<Seconds> times;
    std::vector<std::size_t> parts;
    std::size_t end = order.size();
    for (std::size_t part = 0; part < largest_parts; ++part) {
        const std::size_t first = end - end / folds;
        MeasuredRows smaller, larger;
        for (std::size_t i = 0; i < end; ++i) {
            (i < first ? smaller : larger).push_back(measured.rows[order[i]]);
        }
        const DeviceRates rates =
            rates_fitted_to(sample_of(smaller, most_fitted_rows), measured.device);
        const auto predicted = predict_rows(larger, measured.device, rates, KernelKnown::no);
        times.insert(times.end(), predicted.begin(), predicted.end());
        found.rows.insert(found.rows.end(), larger.begin(), larger.end());
        parts.insert(parts.end(), larger.size(), part);
        end = first;
    }
    ResidualSet set = set_of(found, ResidualSplit::beyond, times);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        set.residuals[i].part = parts[i];
    }
    return set;
}

void add_sets(const MeasuredClass& whole, std::vector<ResidualSet>& found) {
    MeasuredClass measured = whole;
    measured.rows = sample_of(whole.rows, most_measured_rows);
    const std::vector<DeviceRates> rates = cross_rates(measured, most_fitted_rows);
    found.push_back(
        set_of(measured, ResidualSplit::cross_validated, cross_validated(measured, rates)));
    const auto unknown = cross_validated(measured, rates, KernelKnown::no);
    if (std::ranges::any_of(measured.rows, [](const auto* row) { return names_kernel(*row); })) {
        found.push_back(set_of(measured, ResidualSplit::kernel_unknown, unknown));
    }
    found.push_back(beyond_of(measured, unknown));
    found.push_back(set_of(measured, ResidualSplit::uncalibrated,
                           predict_rows(measured.rows, measured.device, {}, KernelKnown::no)));
    if (const auto times = left_out(measured, rates_of(measured.device.name))) {
        found.push_back(set_of(measured, ResidualSplit::left_out, *times));
    }
}

// Deciles of the standard normal distribution, and its standard deviation in units of the mean
// absolute deviation.
constexpr std::array normal_deciles = {-1.645, -1.036, -0.674, -0.385, -0.126,
                                       0.126,  0.385,  0.674,  1.036,  1.645};
constexpr double deviation_of_mean = 1.2533;

}  // namespace

std::vector<ResidualRow> residuals_of(std::span<const MeasuredTime> times) {
    std::map<std::pair<std::string, std::string>, ResidualSet> sets;
    const auto set_of = [&](const std::string& name, const MeasuredTime& one) -> ResidualSet& {
        return sets.try_emplace({name, one.machine}, ResidualSet{one.machine, name, one.split})
            .first->second;
    };
    for (const MeasuredTime& one : times) {
        ResidualSet& set = set_of(one.problem_class, one);
        set.residuals.push_back({.predicted = one.predicted,
                                 .value = std::log(one.measured / one.predicted),
                                 .part = set.residuals.size() % folds});
        if (one.problem_class == network_class(DeviceKind::cpu) && one.layer_error > 0) {
            for (const double decile : normal_deciles) {
                set_of(std::string(cpu_layers), one)
                    .residuals.push_back(
                        {one.predicted, decile * deviation_of_mean * one.layer_error});
            }
        }
    }
    std::vector<ResidualSet> all;
    for (auto& [key, set] : sets) {
        all.push_back(std::move(set));
    }
    return rows_of(all);
}

std::vector<ResidualRow> residuals_of(std::span<const ProblemRow* const> rows) {
    MeasuredRowsByClass by_class;
    group(rows, by_class);
    std::vector<ResidualSet> sets;
    for (const MeasuredClass& measured : by_class.classes) {
        add_sets(measured, sets);
    }
    return rows_of(sets);
}

}  // namespace strata
