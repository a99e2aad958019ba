// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "base/file.h"
#include "predict/cpu_fit.h"
#include "run/algorithm_candidates.h"

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// data/operators.txt: the single operators that `strata calibrate --operators` measures, one per
// line as `strata run` takes it. They are spread over the extents of networks; none is taken from a
// network, except by chance.
std::span<const EmbeddedFile> operator_files();
std::vector<std::string> operators_to_measure();

// How long each operator is measured: in rounds over all of them, because a machine's speed drifts.
struct OperatorEffort {
    std::size_t rounds = 3;
    TurnLength turn = {.enough = Seconds{0.015},
                       .longest = Seconds{0.3},
                       .fewest = 3,
                       .most = std::numeric_limits<std::size_t>::max()};
};

// Runs each operator as a separate network (after a small convolution if it reads images), every
// pass with its gradients, and returns the times of its passes: the fastest of its rounds' medians,
// because disturbances only slow down. Operators that the backend refuses are left out. `progress`
// receives the operator and the overall progress (0..1).
std::vector<OperatorTime> measure_operators(
    std::span<const std::string> operators, Backend& backend, const Execution& execution,
    const OperatorEffort& effort = {},
    const std::function<void(const std::string&, double)>& progress = {});

// Converts such times to and from a table, one pass per line, so that a changed model can be fitted
// to them again. Throws Error, naming the line, if it is not such a table.
std::string operator_times_csv(std::span<const OperatorTime> times);
std::vector<OperatorTime> parse_operator_times(std::string_view csv, std::string_view origin);

}  // namespace strata
