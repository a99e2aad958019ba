// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/rollup.h"
#include "report/document.h"
#include "view/steps.h"

#include <span>
#include <string>
#include <vector>

namespace strata {

// "block,operator" as groupings. Throws Error with exit code usage, naming the choices, for an
// unknown one or one named twice.
std::vector<Grouping> parse_groupings(const std::vector<std::string>& names);

// The grouped steps, each group with its parts if there are several groupings:
//
//   block         operator     layers  time [ms]  share [%]  backward / forward  GFLOP/s  ... gain
//   conv1..pool1                    4        183       18.6                1.97      104        62
//                 convolution       1       77.7        7.9                1.00      174        10
//                 lrn               1       91.5        9.3                1.78     3.96        82
//   all                            22        985        100                1.7       135       ...
//
// backward / forward: both gradients over the forward pass (Zhao et al. 2017). ceiling: the time
// that the steps would take at their ceilings over their time; gain: the most that would save.
// Groups contain the filtered steps; the closing row covers the whole run.
Table rollup_table(const RunFindings& findings, std::span<const Grouping> by,
                   const StepFilter& filter = {});

// The `count` families that take longest:
//
//   layer                pass     layers  time [ms]  share [%]  GFLOP/s  GB/s  ceiling [%]  bound
//   h.0–h.47.attention   forward      48       4.41       12.2    ...              41  memory
Table heaviest_table(const RunFindings& findings, std::size_t rows);

// The columns of rollup_table: display flags are checked before there is a run.
std::vector<Column> rollup_columns(std::span<const Grouping> by);

// The tables shown on a page: one table by the given groupings, else by operator, by pass, and a
// tree by block, layer and pass.
std::vector<Block> rollup_blocks(const RunFindings& findings, std::span<const Grouping> by = {});

}  // namespace strata
