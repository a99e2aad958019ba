// SPDX-License-Identifier: MIT
#pragma once

#include "predict/rates.h"

#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

using MeasuredRows = std::vector<const ProblemRow*>;

// The rows of one class on one device, and those of the class on all devices.
struct MeasuredClass {
    DeviceDescription device;
    std::string problem_class;
    MeasuredRows rows;
    const std::map<std::string, MeasuredRows>* by_device = nullptr;
};

// The rows that have a time and can be predicted, by device and class.
struct MeasuredRowsByClass {
    std::map<std::string, std::map<std::string, MeasuredRows>> devices_by_class;
    std::vector<MeasuredClass> classes;  // ordered by device and class
};

// Leaves out rows of devices without a description, and classes with fewer than five rows.
// Requires: the result stays where it is; its classes point into it.
void group(std::span<const ProblemRow* const> rows, MeasuredRowsByClass& found);

inline constexpr std::size_t folds = 5;

// The fold of each row. Rows that repeat a problem stay in one fold; otherwise its answer would be
// known.
std::vector<std::size_t> folds_of(const MeasuredRows& rows);

// What predictions know of the kernel that ran a product or convolution.
enum class KernelKnown { as_named, no };

// The row without the kernel that its table names.
ProblemRow without_kernel(ProblemRow row);
bool names_kernel(const ProblemRow& row);

std::vector<Seconds> predict_rows(const MeasuredRows& rows, const DeviceDescription& device,
                                  const DeviceRates& rates,
                                  KernelKnown kernel = KernelKnown::as_named);

// At most so many rows, evenly spread.
MeasuredRows sample_of(const MeasuredRows& rows, std::size_t most);

// Each fold's rows by rates fitted to at most so many rows of the other folds; `rates_by_fold` is
// what cross_rates fitted.
std::vector<DeviceRates> cross_rates(const MeasuredClass& measured,
                                     std::size_t most = std::numeric_limits<std::size_t>::max());
std::vector<Seconds> cross_validated(const MeasuredClass& measured,
                                     std::span<const DeviceRates> rates_by_fold,
                                     KernelKnown kernel = KernelKnown::as_named);

// Rates fitted to these rows of a class.
DeviceRates rates_fitted_to(const MeasuredRows& rows, const DeviceDescription& device);

// Predictions by rates that know nothing of the device: from rows of the class on other devices of
// the same maker, else by the rates that a device without measurements takes. Nothing if the device
// has rates of its own and there are no such rows.
std::optional<std::vector<Seconds>> left_out(const MeasuredClass& measured,
                                             const DeviceRates& calibrated);

// Whether rates contain a class of problems.
bool has_class(const DeviceRates& rates, std::string_view problem_class);

}  // namespace strata
