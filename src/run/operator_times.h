// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "base/file.h"
#include "predict/cpu_fit.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// data/operators.txt: the single operators that `strata calibrate --operators` measures, one a line
// as `strata run` takes it. They are spread over the extents that networks have; none is a
// network's, but by chance.
std::span<const EmbeddedFile> operator_files();
std::vector<std::string> operators_to_measure();

// How long each operator is measured: in rounds over all of them, since a machine's speed drifts.
struct OperatorEffort {
    int rounds = 3;
    int min_samples = 3;
    Seconds min_time{0.015};
    Seconds max_time{0.3};
};

// Runs each operator as a network of its own, one that reads images behind a small convolution,
// every pass with its gradients, and returns what its passes took: the fastest of its rounds'
// medians, because disturbances only slow down. An operator that the backend refuses is left out.
// `progress` receives the operator and the share of all that is done (0..1).
std::vector<OperatorTime> measure_operators(
    std::span<const std::string> operators, Backend& backend, const Execution& execution,
    const OperatorEffort& effort = {},
    const std::function<void(const std::string&, double)>& progress = {});

// Such times as a table, one pass a line, and back: what was fitted to them once can be fitted
// again when a model has changed. Throws Error that names the line where it is not such a table.
std::string operator_times_csv(std::span<const OperatorTime> times);
std::vector<OperatorTime> parse_operator_times(std::string_view csv, std::string_view origin);

}  // namespace strata
