// SPDX-License-Identifier: MIT
#pragma once

#include "base/file.h"
#include "predict/measured_networks.h"
#include "predict/problems.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// How the predictions were made that residuals are of. The first three used rates that were fitted
// to other rows of the same class and device, the last two know nothing of the device.
enum class ResidualSplit {
    cross_validated,  // each fifth of the rows by rates fitted to the others, kernels as named
    kernel_unknown,   // the same without the kernels that the table names
    beyond,           // the largest fifth by rates fitted to the smaller ones, kernels not known
    left_out,         // by rates of other devices, as AccuracyRow::split
    uncalibrated,     // by priors
};
inline constexpr std::array<std::string_view, 5> names_of(ResidualSplit) {
    return {"cross-validated", "kernel-unknown", "beyond", "left-out", "uncalibrated"};
}
inline constexpr std::array all_residual_splits = {
    ResidualSplit::cross_validated, ResidualSplit::kernel_unknown, ResidualSplit::beyond,
    ResidualSplit::left_out, ResidualSplit::uncalibrated};

// The tenth, the median and the ninth decile of ln(measured / predicted). The outer two are further
// apart if folds, sizes or devices differ so much that the deciles of some do not hold eight tenths
// of another.
struct Residuals {
    double low = 0;
    double middle = 0;
    double high = 0;
};

// The residuals of a class of problems, in a range of predicted times.
struct ResidualRow {
    std::string device;         // empty: of several devices, each with the same weight
    std::string problem_class;  // as in tables of problems; or a family, "any product"
    ResidualSplit split = ResidualSplit::cross_validated;
    std::size_t n = 0;
    std::size_t devices = 1;
    Seconds until;  // the longest predicted time; rows of one class follow one another, by size
    Residuals residuals;
    // The share of the measured times that lie between the tenth and the ninth decile of the
    // others: of the other folds; of the other fifths; of other devices.
    double covered = 0;
};

// The family of a class, whose residuals serve classes that have none: "any product".
std::string family_of_class(std::string_view problem_class);

// The content of data/residuals.toml, and the measurements it was computed from.
struct StatedResiduals {
    std::string source;
    std::vector<ResidualRow> rows;
};
std::span<const EmbeddedFile> residual_files();
const StatedResiduals& stated_residuals();

std::string to_toml(const StatedResiduals& stated);
// Throws Error, naming `origin`, for an unknown split or a number that is missing.
StatedResiduals parse_residuals(std::string_view toml, std::string_view origin);

// The classes of whole networks, and of the layers of networks on CPUs.
std::string network_class(DeviceKind kind);
inline constexpr std::string_view cpu_layers = "layer on a cpu";

// Residuals of several devices are those of at least so many: fewer say nothing of how much devices
// differ.
inline constexpr std::size_t enough_devices = 3;

// The residuals of the rows that have a time and can be predicted. Of each class on each device at
// most 600 rows count, evenly spread over the table, and fits take at most 240 of them.
std::vector<ResidualRow> residuals_of(std::span<const ProblemRow* const> rows);

// The residuals of whole networks by the kind of their device, each device with the same weight;
// and those that layers on CPUs would have if their errors, of which only the mean is known, were
// normally distributed. No rate was fitted to a network: all are left-out.
std::vector<ResidualRow> residuals_of(std::span<const MeasuredNetwork> networks);

}  // namespace strata
