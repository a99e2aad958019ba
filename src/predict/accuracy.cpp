// SPDX-License-Identifier: MIT
#include "predict/accuracy.h"

#include "base/error.h"
#include "predict/gpu_rates.h"
#include "predict/transfer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <random>

namespace strata {

namespace {

constexpr std::size_t parts = 5;
constexpr unsigned shuffle_seed = 1;  // fixed, so that every run has the same folds

using Rows = std::vector<const ProblemRow*>;

std::vector<Seconds> predictions(const Rows& rows,
                                 const std::function<Seconds(const ProblemRow&)>& predict) {
    std::vector<Seconds> times;
    for (const ProblemRow* const row : rows) {
        times.push_back(predict(*row));
    }
    return times;
}

// Rows that repeat a problem stay in one fold; otherwise its answer would be known.
std::vector<std::size_t> parts_of(const Rows& rows) {
    std::map<std::string, std::size_t> part_of_problem;
    std::mt19937 random(shuffle_seed);
    std::vector<std::size_t> found;
    for (const ProblemRow* const row : rows) {
        std::string key;
        for (std::size_t i = 0; i < row->fields.size(); ++i) {
            if (i != row->time_field) {
                key += row->fields[i] + ",";
            }
        }
        const auto [at, is_new] = part_of_problem.try_emplace(key, 0);
        if (is_new) {
            at->second = random() % parts;
        }
        found.push_back(at->second);
    }
    return found;
}

std::vector<Seconds> cross_validated(const Rows& rows, const DeviceDescription& device) {
    const std::vector<std::size_t> part_of = parts_of(rows);
    std::vector<Seconds> times(rows.size());
    for (std::size_t part = 0; part < parts; ++part) {
        Rows others;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (part_of[i] != part) {
                others.push_back(rows[i]);
            }
        }
        DeviceRates rates = fit_rates(others, device);
        if (std::holds_alternative<AttentionRow>(rows.front()->problem)) {
            rates.attention.merge(rates_of(device.name).attention);  // for both passes
        }
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (part_of[i] == part) {
                times[i] = predict_row(*rows[i], device, rates);
            }
        }
    }
    return times;
}

// Whether the device has everything that the row's model needs.
bool can_predict(const ProblemRow& row, const DeviceDescription& device) {
    try {
        predict_row(row, device, {});
        return true;
    } catch (const Error&) {
        return false;
    }
}

// Whether rates are taken from another device as they are, not fitted to several devices.
bool are_carried_over(const ProblemRow& row, const DeviceDescription& device) {
    const auto* const product = std::get_if<GemmRow>(&row.problem);
    return std::holds_alternative<AttentionRow>(row.problem) ||
           (product != nullptr && runs_alone(*product, device));
}

// Predictions by the rates of the most similar other device.
std::optional<std::vector<Seconds>> of_relatives(const Rows& rows,
                                                 const DeviceDescription& device) {
    DeviceRates related;
    add_rates_of_relatives(device, related);
    const auto* const attention = std::get_if<AttentionRow>(&rows.front()->problem);
    const bool are_known =
        attention != nullptr
            ? find_fused_rates(related, attention->problem.phase(), attention->library) != nullptr
            : find_products(related, rows.front()->problem_class) != nullptr;
    if (!are_known) {
        return {};
    }
    return predictions(rows, [&](const auto& row) { return predict_row(row, device, related); });
}

// Predictions by rates from other devices of the same maker; nothing if there are no such rows, or
// if one device's rates cannot serve another.
std::optional<std::vector<Seconds>> left_out(const Rows& rows, const DeviceDescription& device,
                                             const std::map<std::string, Rows>& rows_by_device) {
    Rows others;
    if (are_carried_over(*rows.front(), device)) {
        return of_relatives(rows, device);
    }
    if (!can_move(*rows.front()) || maker_of(device).empty()) {
        return {};
    }
    for (const auto& [name, members] : rows_by_device) {
        const auto other = description_called(name);
        if (other && other->name != device.name && maker_of(*other) == maker_of(device) &&
            can_predict(*members.front(), *other)) {
            others.insert(others.end(), members.begin(), members.end());
        }
    }
    if (others.empty()) {
        return {};
    }
    const DeviceRates rates = fit_elsewhere(others, device);
    return predictions(rows, [&](const ProblemRow& row) {
        return predict_row(with_general_kernel(row), device, rates);
    });
}

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
    if (long_times.size() >= parts) {
        found.push_back(
            {device, name + ", over 1 ms", split, errors_of(long_times, long_measured)});
    }
}

bool has_class(const DeviceRates& rates, const std::string& name) {
    return rates.gemm.contains(name) || rates.streaming.contains(name) ||
           rates.convolution.contains(name) || rates.recurrent.contains(name) ||
           rates.training_step.contains(name) || rates.attention.contains(name);
}

void add_class(const Rows& rows, const DeviceDescription& device, const DeviceRates& calibrated,
               const std::map<std::string, Rows>& rows_by_device, std::vector<AccuracyRow>& found) {
    std::vector<Seconds> measured;
    for (const ProblemRow* const row : rows) {
        measured.push_back(*row->measured);
    }
    const std::string& name = rows.front()->problem_class;
    const auto add = [&](const char* split, const std::vector<Seconds>& times) {
        found.push_back({device.name, name, split, errors_of(times, measured)});
        if (std::holds_alternative<ConvolutionRow>(rows.front()->problem)) {
            add_long_ones(device.name, name, split, times, measured, found);
        }
    };
    const DeviceRates none;
    add("roofline", predictions(rows, [&](const auto& row) { return roofline(row, device); }));
    add("uncalibrated",
        predictions(rows, [&](const auto& row) { return predict_row(row, device, none); }));
    const bool is_calibrated = has_class(calibrated, name);
    if (is_calibrated) {
        add("calibrated", predictions(rows, [&](const auto& row) {
                return predict_row(row, device, calibrated);
            }));
    }
    add("cross-validated", cross_validated(rows, device));
    if (const auto times = left_out(rows, device, rows_by_device)) {
        add("left-out", *times);
    } else if (!is_calibrated) {
        const DeviceRates related = rates_for_problems(device);
        if (has_class(related, name)) {
            add("left-out", predictions(rows, [&](const auto& row) {
                    return predict_row(row, device, related);
                }));
        }
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
    std::map<std::string, std::map<std::string, Rows>> classes_by_device, devices_by_class;
    for (const ProblemRow* const row : rows) {
        if (row->measured) {
            classes_by_device[row->device][row->problem_class].push_back(row);
            devices_by_class[row->problem_class][row->device].push_back(row);
        }
    }
    std::vector<AccuracyRow> found;
    for (const auto& [name, classes] : classes_by_device) {
        const auto device = description_called(name);
        if (!device) {
            continue;
        }
        const DeviceRates calibrated = rates_of(device->name);
        for (const auto& [problem_class, members] : classes) {
            if (members.size() >= parts && can_predict(*members.front(), *device)) {
                add_class(members, *device, calibrated, devices_by_class[problem_class], found);
            }
        }
    }
    return found;
}

}  // namespace strata
