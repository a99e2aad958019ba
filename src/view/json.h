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

// What scripts get where rows of a table are not enough: one value for each run, sweep, pair or
// network, by the words of docs/schema/README.md. What was not measured is null, times are seconds,
// shares fractions of 1, numbers whole. The files docs/schema/<kind>.json describe them.

// One of "runs" (docs/schema/run.json): settings, "steps" in the order of execution, "counters",
// "groups" of steps where they are put together (`by`), "findings" with the commands to try, what
// all would take "at_ceilings", "budget", "memory", "trace" with every span of the kept iteration,
// "doubts", "provenance". The selection acts on the groups, or, without any, on the steps.
nlohmann::ordered_json run_json(const Run& run, const StepFilter& filter = {},
                                const Convention& convention = conventions().front(),
                                const Selection& selection = {}, std::span<const Grouping> by = {});

// One of "sweeps": the settings that its runs share, "points", "fit", "saturation", "capacity".
// Slope, rate, framework and half rate are null where the line does not describe the times, the
// batch of the capacity where nothing was found to limit it. The selection acts on the points.
nlohmann::ordered_json sweep_json(const Sweep& sweep, const std::optional<Capacity>& capacity = {},
                                  const Selection& selection = {});

// One of "grids": runs that differ in several numbers, and their "points".
nlohmann::ordered_json grid_json(std::span<const Run> runs, const VariedGrid& grid,
                                 const Convention& convention, const Selection& selection = {});

// One of "networks" (docs/schema/show.json): layers with their work by pass, and totals.
nlohmann::ordered_json show_json(const Graph& graph, const Convention& convention,
                                 const Execution& execution);

// One of "networks" (docs/schema/memory.json): at each batch the peak and what each layer needs.
nlohmann::ordered_json memory_json(std::span<const Graph> graphs, const Execution& execution);

// One of "sweeps" (docs/schema/work-sweep.json): work and memory at each size.
nlohmann::ordered_json work_sweep_json(const WorkSweep& sweep, const Convention& convention,
                                       const Execution& execution);

// One of "grids" there: the same over several numbers.
nlohmann::ordered_json work_grid_json(const WorkGrid& grid, const Convention& convention,
                                      const Execution& execution);

}  // namespace strata
