// SPDX-License-Identifier: MIT
#pragma once

#include "record/observation.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The metrics of analyses of many runs.
enum class ObservedMetric {
    time,         // of an iteration, in s
    throughput,   // examples per second
    rate,         // operations per second
    utilisation,  // the rate over the peak of the device
    intensity,    // operations over compulsory traffic, in FLOP/B
    work,         // operations of an iteration
};
inline constexpr std::array<std::string_view, 6> names_of(ObservedMetric) {
    return {"time", "throughput", "rate", "utilisation", "intensity", "work"};
}

// "FLOP/s"; for a utilisation "%".
std::string_view unit_of(ObservedMetric metric);

// In its unit, a utilisation as a fraction. The peak is that of the run's element type, or the
// device's highest if it states none for that type (TPUs compute products of fp32 in bf16). Nothing
// if the run has no time, counted nothing, or no peak is known.
std::optional<double> metric_of(const Observations& all, const Observation& run,
                                ObservedMetric metric);

// The run's highest arithmetic ceiling, as above.
std::optional<FlopRate> peak_for(const Observations& all, const Observation& run);

// A condition on runs: a comparison of a number ("nodes>=256"), or a name that a glob must or must
// not match ("backend=paradnn:*", "family=fc", "network", "platform", "origin", "mode", "dtype",
// "version").
struct RunCondition {
    std::string name;
    std::string comparison;  // =, !=, <, <=, >, >=
    std::string value;
};

// Throws Error with exit code usage that explains conditions.
RunCondition parse_condition(std::string_view text);
bool holds(const RunCondition& condition, const Observation& run);

// The runs that meet all conditions; devices stay.
Observations selected(Observations all, std::span<const RunCondition> conditions);

// Hyperparameters that all these runs have and that vary, "batch" last.
std::vector<std::string> varied_parameters(std::span<const Observation* const> runs);

// The runs by backend, in the order of first appearance.
struct BackendRuns {
    std::string backend;
    std::vector<const Observation*> runs = {};
};
std::vector<BackendRuns> by_backend(const Observations& all);

}  // namespace strata
