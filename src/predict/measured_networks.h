// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "device/description.h"

#include <array>
#include <optional>
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

// The classes of whole networks, of the layers of networks on CPUs, and of exchanges among devices.
std::string network_class(DeviceKind kind);
inline constexpr std::string_view cpu_layers = "layer on a cpu";
inline constexpr std::string_view collective_class = "collective";

// What was both measured and predicted: a whole network, to which no rate was fitted, or a
// collective by lines that were fitted to others.
struct MeasuredTime {
    std::string problem_class;
    std::string machine;  // its device, or the table that it is in
    ResidualSplit split = ResidualSplit::left_out;
    Seconds measured;
    Seconds predicted;
    double layer_error =
        0;  // the mean of a network's layers' |predicted / measured - 1|; 0: not known
};

// A table as `tools/run_accuracy --csv` and `tools/published_networks` write it, with the columns
// measured_ms and predicted_ms, and device unless all ran on one CPU; nothing if a text has not
// these columns. Throws Error that names the line for a time that is not positive or a device that
// is not described.
std::optional<std::vector<MeasuredTime>> read_measured_networks(std::string_view csv,
                                                                std::string_view origin);

}  // namespace strata
