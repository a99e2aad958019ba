// SPDX-License-Identifier: MIT
#pragma once

#include "predict/rates.h"

#include <span>
#include <string>
#include <vector>

namespace strata {

// How far predictions are off: of |predicted / measured - 1| the mean (MAPE), the median and the
// ninth decile, and of the sum of all times the signed error.
struct PredictionErrors {
    std::size_t n = 0;
    double mape = 0;
    double median = 0;
    double p90 = 0;
    double signed_sum = 0;
};

// Requires: as many positive numbers of both.
PredictionErrors errors_of(std::span<const Seconds> predicted, std::span<const Seconds> measured);

// The errors of one class of problems on one device, of predictions that are made in one way.
struct AccuracyRow {
    std::string device;
    std::string problem_class;
    // "roofline"; "uncalibrated": by priors; "calibrated": by the rates that predictions use
    // here, which may have been fitted to these very rows; "cross-validated": each fifth of the
    // rows by rates fitted to the other four; "left-out": by rates that rows of the same class on
    // other devices of the same maker give, where there are such rows, else by those that
    // predictions of a device take which none were fitted to.
    std::string split;
    PredictionErrors errors;
};

// The rows that have a time and can be predicted, in the order of devices and classes. Rows of a
// device that is not described are left out, and so are classes with fewer than five.
std::vector<AccuracyRow> accuracy_of(std::span<const ProblemRow* const> rows);

}  // namespace strata
