// SPDX-License-Identifier: MIT
#pragma once

#include "predict/rates.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// How far predictions are off: the mean (MAPE), the median and the ninth decile of |predicted /
// measured - 1|, and the signed error of the total time.
struct PredictionErrors {
    std::size_t n = 0;
    double mape = 0;
    double median = 0;
    double p90 = 0;
    double signed_sum = 0;
};

// Requires: equally many positive numbers in both.
PredictionErrors errors_of(std::span<const Seconds> predicted, std::span<const Seconds> measured);

// The errors of predictions for one class of problems on one device, made in one way.
struct AccuracyRow {
    std::string device;
    std::string problem_class;
    // "roofline"; "uncalibrated": by priors; "calibrated": by the rates that predictions use here,
    // which may have been fitted to these rows; "predicted": the same of a class without rates of
    // its own, by a similar device's or priors; "cross-validated": each fifth of the rows by rates
    // fitted to the other four; "left-out": by rates from rows of the same class on other devices
    // of the same maker if there are such rows, else by the rates that an unfitted device would
    // use.
    std::string split;
    PredictionErrors errors;
    // The share of the measured times that lie in the intervals that predictions have here; only
    // for "calibrated" and "predicted".
    std::optional<double> covered = {};
};

// The rows that have a time and can be predicted, ordered by device and class. Rows of devices
// without a description are left out, and so are classes with fewer than five rows.
std::vector<AccuracyRow> accuracy_of(std::span<const ProblemRow* const> rows);

}  // namespace strata
