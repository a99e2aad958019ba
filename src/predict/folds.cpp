// SPDX-License-Identifier: MIT
#include "predict/folds.h"

#include "base/error.h"
#include "predict/gpu_rates.h"
#include "predict/transfer.h"

#include <random>

namespace strata {

namespace {

constexpr unsigned shuffle_seed = 1;  // fixed, so that every run has the same folds

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
std::optional<std::vector<Seconds>> of_relatives(const MeasuredRows& rows,
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
    return predict_rows(rows, device, related);
}

// The rows of a class on other devices of the same maker; none if its rates cannot move.
MeasuredRows rows_elsewhere(const MeasuredClass& measured) {
    MeasuredRows others;
    if (!can_move(*measured.rows.front()) || maker_of(measured.device).empty()) {
        return others;
    }
    for (const auto& [name, members] : *measured.by_device) {
        const auto other = description_called(name);
        if (other && other->name != measured.device.name &&
            maker_of(*other) == maker_of(measured.device) &&
            can_predict(*members.front(), *other)) {
            others.insert(others.end(), members.begin(), members.end());
        }
    }
    return others;
}

}  // namespace

void group(std::span<const ProblemRow* const> rows, MeasuredRowsByClass& found) {
    std::map<std::string, std::map<std::string, MeasuredRows>> classes_by_device;
    for (const ProblemRow* const row : rows) {
        if (row->measured) {
            classes_by_device[row->device][row->problem_class].push_back(row);
            found.devices_by_class[row->problem_class][row->device].push_back(row);
        }
    }
    for (auto& [name, classes] : classes_by_device) {
        const auto device = description_called(name);
        if (!device) {
            continue;
        }
        for (auto& [problem_class, members] : classes) {
            if (members.size() >= folds && can_predict(*members.front(), *device)) {
                found.classes.push_back({*device, problem_class, std::move(members),
                                         &found.devices_by_class[problem_class]});
            }
        }
    }
}

std::vector<std::size_t> folds_of(const MeasuredRows& rows) {
    std::map<std::string, std::size_t> fold_of_problem;
    std::mt19937 random(shuffle_seed);
    std::vector<std::size_t> found;
    for (const ProblemRow* const row : rows) {
        std::string key;
        for (std::size_t i = 0; i < row->fields.size(); ++i) {
            if (i != row->time_field) {
                key += row->fields[i] + ",";
            }
        }
        const auto [at, is_new] = fold_of_problem.try_emplace(key, 0);
        if (is_new) {
            at->second = random() % folds;
        }
        found.push_back(at->second);
    }
    return found;
}

ProblemRow without_kernel(ProblemRow row) {
    if (auto* product = std::get_if<GemmRow>(&row.problem)) {
        product->kernel.reset();
    }
    if (auto* convolution = std::get_if<ConvolutionRow>(&row.problem)) {
        convolution->kernel.reset();
    }
    return row;
}

bool names_kernel(const ProblemRow& row) {
    const auto* const product = std::get_if<GemmRow>(&row.problem);
    const auto* const convolution = std::get_if<ConvolutionRow>(&row.problem);
    return (product != nullptr && product->kernel) ||
           (convolution != nullptr && convolution->kernel);
}

std::vector<Seconds> predict_rows(const MeasuredRows& rows, const DeviceDescription& device,
                                  const DeviceRates& rates, KernelKnown kernel) {
    std::vector<Seconds> times;
    times.reserve(rows.size());
    for (const ProblemRow* const row : rows) {
        times.push_back(kernel == KernelKnown::as_named
                            ? predict_row(*row, device, rates)
                            : predict_row(without_kernel(*row), device, rates));
    }
    return times;
}

MeasuredRows sample_of(const MeasuredRows& rows, std::size_t most) {
    if (rows.size() <= most) {
        return rows;
    }
    MeasuredRows sample;
    for (std::size_t i = 0; i < most; ++i) {
        sample.push_back(rows[i * rows.size() / most]);
    }
    return sample;
}

DeviceRates rates_fitted_to(const MeasuredRows& rows, const DeviceDescription& device) {
    DeviceRates rates = fit_rates(rows, device);
    if (std::holds_alternative<AttentionRow>(rows.front()->problem)) {
        rates.attention.merge(rates_of(device.name).attention);  // for both passes
    }
    return rates;
}

std::vector<DeviceRates> cross_rates(const MeasuredClass& measured, std::size_t most) {
    const std::vector<std::size_t> fold_of = folds_of(measured.rows);
    std::vector<DeviceRates> found;
    for (std::size_t fold = 0; fold < folds; ++fold) {
        MeasuredRows others;
        for (std::size_t i = 0; i < fold_of.size(); ++i) {
            if (fold_of[i] != fold) {
                others.push_back(measured.rows[i]);
            }
        }
        found.push_back(rates_fitted_to(sample_of(others, most), measured.device));
    }
    return found;
}

std::vector<Seconds> cross_validated(const MeasuredClass& measured,
                                     std::span<const DeviceRates> rates_by_fold,
                                     KernelKnown kernel) {
    const std::vector<std::size_t> fold_of = folds_of(measured.rows);
    std::vector<Seconds> times;
    for (std::size_t i = 0; i < fold_of.size(); ++i) {
        times.push_back(
            predict_rows({measured.rows[i]}, measured.device, rates_by_fold[fold_of[i]], kernel)
                .front());
    }
    return times;
}

std::optional<std::vector<Seconds>> left_out(const MeasuredClass& measured,
                                             const DeviceRates& calibrated) {
    const DeviceDescription& device = measured.device;
    if (are_carried_over(*measured.rows.front(), device)) {
        if (auto times = of_relatives(measured.rows, device)) {
            return times;
        }
    } else if (const MeasuredRows others = rows_elsewhere(measured); !others.empty()) {
        const DeviceRates rates = fit_elsewhere(others, device);
        std::vector<Seconds> times;
        for (const ProblemRow* const row : measured.rows) {
            times.push_back(predict_row(with_general_kernel(*row), device, rates));
        }
        return times;
    }
    if (has_class(calibrated, measured.problem_class)) {
        return {};
    }
    const DeviceRates related = rates_for_problems(device);
    return has_class(related, measured.problem_class)
               ? std::optional(predict_rows(measured.rows, device, related))
               : std::nullopt;
}

bool has_class(const DeviceRates& rates, std::string_view name) {
    return rates.gemm.contains(name) || rates.streaming.contains(name) ||
           rates.convolution.contains(name) || rates.recurrent.contains(name) ||
           rates.training_step.contains(name) || rates.attention.contains(name);
}

}  // namespace strata
