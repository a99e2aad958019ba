// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/varied.h"
#include "report/document.h"
#include "view/work_sweep.h"

#include <span>
#include <string>
#include <vector>

namespace strata {

// Runs that differ in several numbers, one row each in the order of measurement:
//
//   lstm:hidden=128..512, batch 1 to 16, training, f32, onednn direct
//   hidden  batch  work [GFLOP]  time [ms]  rate [GFLOP/s]  memory  taken  run
//      128      1         0.041        2.4            17.1     ...
//
// If the batch is varied, a column shows examples per second. No line is drawn: it would mix the
// slopes of several numbers. Requires: the grid is that of the runs.
std::vector<Column> grid_columns(const std::vector<std::string>& names);
Document grid_document(std::span<const Run> runs, const VariedGrid& grid);

// A network at each combination of several numbers, counted without being run.
struct WorkGrid {
    std::vector<std::string> variables;             // "hidden", "batch"
    std::vector<std::vector<std::int64_t>> values;  // for each point, one value of each variable
    std::string network;                            // as it was requested
    std::vector<WorkPoint> points;
};

//   hidden  batch  parameters  forward [GFLOP]  all passes [GFLOP]  traffic [MB]  FLOP/B  memory
Document work_grid_document(const WorkGrid& grid, const Convention& convention,
                            const Execution& execution);

}  // namespace strata
