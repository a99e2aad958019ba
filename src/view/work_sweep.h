// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "graph/graph.h"
#include "op/convention.h"
#include "report/document.h"

#include <optional>
#include <string>
#include <vector>

namespace strata {

// The counts of a network at one value of the varied number.
struct WorkPoint {
    std::int64_t value = 0;
    std::int64_t batch = 1;
    std::int64_t parameters = 0;
    Flops forward = {};
    Flops flops = {};    // of all passes
    Bytes traffic = {};  // likewise
    Bytes memory = {};   // the execution's peak
};
WorkPoint work_point_of(const Graph& graph, std::int64_t value, const Convention& convention,
                        const Execution& execution);

// A network at several sizes, without running it. Points in ascending order of their values.
struct WorkSweep {
    std::string variable;  // "hidden"
    std::string network;   // as it was requested
    std::vector<WorkPoint> points;
};

// A network's work at each size:
//
//   hidden  parameters  forward [GFLOP]  all passes [GFLOP]  growth  traffic [MB]  FLOP/B  memory
//   128        ...                 0.04                0.12                   3.1    38.7
//   256        ...                 0.16                0.48    1.99           8.2    58.5
//
// Growth is the exponent between two neighbours: operations grow as value^growth. Below it the line
// of traffic over operations: the bytes per further operation, and those moved without any.
Document work_sweep_document(const WorkSweep& sweep, const Convention& convention,
                             const Execution& execution);

// Its points as rows.
Table points_table(const WorkSweep& sweep, const Convention& convention);

// The exponent by which operations grow from the previous point; empty for the first point, or if
// either has none.
std::optional<double> growth_at(const WorkSweep& sweep, std::size_t point);

}  // namespace strata
