// SPDX-License-Identifier: MIT
#pragma once

#include "base/file.h"
#include "predict/accuracy.h"
#include "predict/network.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// data/accuracy.toml: how far predictions of single operators were from published measurements.
std::span<const EmbeddedFile> accuracy_files();

// The content of that file, and the measurements it was computed from.
struct StatedAccuracy {
    std::string source;
    std::vector<AccuracyRow> rows;
};
const StatedAccuracy& stated_accuracy();

// The error (MAPE) of predictions by rates from such a source: if the rates were fitted to the
// device, cross-validated there; otherwise the mean over the devices of the class's uncalibrated
// predictions. Nothing if neither was measured.
std::optional<double> stated_error(const RateSource& source, RateClass rates);

// The mean cross-validated error over the classes of a device with fitted rates; 1 if none is
// stated.
double mean_stated_error(std::string_view device);

// The parts of a prediction that each kind of rates decides, largest first.
struct RateShare {
    RateClass rates = RateClass::add;
    RateSource source = {};
    double share = 0;  // of the time
    std::optional<double> error = {};
};
std::vector<RateShare> shares_by_rates(const NetworkPrediction& prediction,
                                       const DeviceModel& device);

// "88 % of the time is predicted by rates fitted to published times of this device (linear, bmm:
// 6.2 % off in cross-validation), 12 % by rates fitted to published times of v100-pcie (ln, add: 11
// to 29 % off on devices without rates of their own). ..." Shares below a hundredth are left out.
std::string basis_sentence(std::span<const RateShare> shares);

}  // namespace strata
