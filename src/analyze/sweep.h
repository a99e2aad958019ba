// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/line_fit.h"
#include "measure/statistics.h"
#include "op/convention.h"
#include "record/run.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// One run of a sweep.
struct SweepPoint {
    std::int64_t value = 0;  // value of the varied number
    const Run* run = nullptr;
    Flops flops;                   // of the steps that ran
    std::optional<Estimate> time;  // of a whole iteration; for inference, the latency
    std::string reason;            // why there is no time
};

// The point at this value of the varied number.
SweepPoint point_of(const Run& run, std::int64_t value);

// Operations of the steps that ran.
Flops flops_that_ran(const Run& run);

// Examples per second, from the interval of the time.
struct Throughput {
    double median = 0;
    double low = 0;
    double high = 0;
};
Throughput throughput_of(const SweepPoint& point);  // Requires: it has a time

// Runs that differ in one number only, sorted by it. Points refer to the runs they came from.
struct Sweep {
    std::string variable;  // "batch", "hidden"
    std::vector<SweepPoint> points;
    std::string_view convention =
        conventions().front().name;  // convention that counts the operations

    bool over_batch() const { return variable == "batch"; }
};

// Nothing for fewer than two runs, or runs that are not a sweep (analyze/varied.h). Requires: the
// runs outlive it.
std::optional<Sweep> sweep_of(std::span<const Run> runs);

// Levinthal's problem-size extrapolation: time = framework + work / hardware. The slope of time
// over work is the hardware's rate, the intercept is the framework's cost.
struct Extrapolation {
    LineFit line;
    std::vector<std::size_t> points;  // indices of those with a time
    Seconds framework;
    Interval framework_interval;
    std::optional<FlopRate> hardware;           // nothing if time does not grow with work
    std::optional<Interval> hardware_interval;  // nothing if the slope may be 0
    std::optional<Flops>
        half_rate_work;  // Hockney's n1/2: the work at which the framework takes half of the time
    std::string misfit;  // why the line does not separate hardware from framework; empty if it does
};

// Nothing for fewer than three points with a time, or if the work does not change.
std::optional<Extrapolation> extrapolate(const Sweep& sweep);

// The batch beyond which larger ones stop paying off: the smallest with 95 % of the best
// throughput. Not reached if that is the largest batch measured.
struct Saturation {
    std::int64_t batch = 0;
    std::int64_t earliest = 0;  // within the intervals of both throughputs
    std::int64_t latest = 0;
    std::int64_t best_batch = 0;
    Throughput best;
    bool reached = false;
};
inline constexpr double saturated_share = 0.95;

struct BatchPoint {
    std::int64_t batch = 0;
    Throughput throughput;
};

// Requires ascending batches; nothing for fewer than two.
std::optional<Saturation> saturation_of(std::span<const BatchPoint> points);

// Nothing for sweeps over another number, or with fewer than two timed batches.
std::optional<Saturation> saturation_of(const Sweep& sweep);

}  // namespace strata
