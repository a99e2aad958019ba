// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/line_fit.h"
#include "analyze/observed.h"
#include "analyze/sweep.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// Amdahl's law, time(n) = one (serial + (1 - serial) / n), through times with n threads.
struct AmdahlFit {
    double serial = 0;                      // the serial share, in [0, 1]
    std::optional<Interval> interval = {};  // nothing for two points, which one share fits exactly
    Seconds one;                            // with one thread, by the fit
    double error = 0;                       // root mean square of the relative errors

    Seconds at(double threads) const { return one * (serial + (1 - serial) / threads); }
};

struct ThreadPoint {
    double threads = 1;
    Seconds time;
};

// Least squares of relative errors. The interval contains the shares whose sum of squares is within
// the F distribution's 95 % bound of the best (profile likelihood). Nothing for fewer than two
// thread counts.
std::optional<AmdahlFit> fit_amdahl(std::span<const ThreadPoint> points);

// Runs that differ only in their threads; of several with equal threads, the last.
struct ThreadSweep {
    const Observation* first = nullptr;    // for their common settings
    std::vector<ThreadPoint> points = {};  // in ascending order of threads
    std::optional<AmdahlFit> fit = {};
};

// The groups with at least two thread counts. Requires: the runs outlive them.
std::vector<ThreadSweep> thread_sweeps(std::span<const Observation* const> runs);

// Runs that differ only in their batch; of several with equal batches, the last.
struct BatchSweep {
    const Observation* first = nullptr;   // for their common settings
    std::vector<BatchPoint> points = {};  // in ascending order of batches
    Saturation saturation = {};
};

// The groups with at least two batches. Requires: the runs outlive them.
std::vector<BatchSweep> batch_sweeps(std::span<const Observation* const> runs);

}  // namespace strata
