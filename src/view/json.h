// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "graph/graph.h"
#include "op/convention.h"
#include "record/run.h"
#include "report/select.h"
#include "view/grid.h"
#include "view/rollup.h"
#include "view/step_filter.h"
#include "view/sweep.h"
#include "view/work_sweep.h"

#include <nlohmann/json_fwd.hpp>

#include <span>

namespace strata {

// The JSON output for scripts, if rows of a table are not enough: one value for each run, sweep,
// pair or network, in the terms of docs/schema/README.md. Times are in seconds, shares are
// fractions of 1, numbers are not rounded, and what was not measured is null. The files
// docs/schema/<kind>.json describe them.

// One of "runs" (docs/schema/run.json): settings, "steps" in the order of execution, "counters",
// "groups" of steps if they are grouped (`by`), "findings" with the commands to try, the time of
// all steps "at_ceilings", "budget", "memory", "trace" with every span of the kept iteration,
// "doubts", "provenance". The selection applies to the groups, or to the steps if there are none.
nlohmann::ordered_json run_json(const Run& run, const StepFilter& filter = {},
                                const Convention& convention = conventions().front(),
                                const Selection& selection = {}, std::span<const Grouping> by = {});

// One of "sweeps": the settings that its runs share, "points", "fit", "saturation", "capacity".
// Slope, rate, framework and half rate are null if the line does not describe the times; the
// capacity's batch is null if no limit was found. The selection applies to the points.
nlohmann::ordered_json sweep_json(const Sweep& sweep, const std::optional<Capacity>& capacity = {},
                                  const Selection& selection = {});

// One of "grids": runs that differ in several numbers, and their "points".
nlohmann::ordered_json grid_json(std::span<const Run> runs, const VariedGrid& grid,
                                 const Convention& convention, const Selection& selection = {});

// One of "networks" (docs/schema/show.json): layers with their work by pass, and totals.
nlohmann::ordered_json show_json(const Graph& graph, const Convention& convention,
                                 const Execution& execution);

// One of "networks" (docs/schema/memory.json): for each batch, the peak and the memory of each
// layer.
nlohmann::ordered_json memory_json(std::span<const Graph> graphs, const Execution& execution);

// One of "sweeps" (docs/schema/work-sweep.json): work and memory at each size.
nlohmann::ordered_json work_sweep_json(const WorkSweep& sweep, const Convention& convention,
                                       const Execution& execution);

// One of "grids" there: the same over several numbers.
nlohmann::ordered_json work_grid_json(const WorkGrid& grid, const Convention& convention,
                                      const Execution& execution);

}  // namespace strata
