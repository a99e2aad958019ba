// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/sweep.h"
#include "graph/largest_batch.h"
#include "report/document.h"

#include <string>
#include <vector>

namespace strata {

// Runs that differ in one number, side by side. In a sweep over the batch, the time is a latency
// and a column shows examples per second:
//
//   lstm:hidden=64..1024, batch 20, training, f32, onednn direct
//   measured on Intel Xeon ..., 2 threads, onednn 2.6.3, 2026-11-21T13:15:00Z, runs 9 to 13
//
//   hidden  work [GFLOP]  time [ms]  rate [GFLOP/s]  by the line [ms]  off the line [%]  memory ...
//       64         0.041  2.4 ± 0.0            17.1              2.41              -0.4         3.1
//   ...
//   Slope (hardware): 10.2 ms per GFLOP (10.1 to 10.3), so work runs at ...
//   Intercept (framework): 2.0 ms (1.9 to 2.1) per iteration ...
//
// and a chart of time over work with the line. Points that did not run are listed with their
// reasons. If no line describes the times, none is drawn, and neither slope nor intercept is
// reported.
Document sweep_document(const Sweep& sweep, const std::optional<Capacity>& capacity = {});

// Its parts, for a larger report: the table, sentences and charts.
std::vector<Block> sweep_blocks(const Sweep& sweep, const std::optional<Capacity>& capacity = {});

// "lstm:hidden=64..1024, batch 20, training, f32, onednn direct": the settings that the runs share,
// with the range of the varied one.
std::string sweep_title(const Sweep& sweep);

// Throughput over the batch if it is varied, and time over work with its line.
std::vector<Block> sweep_charts(const Sweep& sweep);

// The conclusions of the sweep, a sentence each: how imprecise the times are, saturation, capacity,
// and the line or why there is none.
std::vector<std::string> sweep_sentences(const Sweep& sweep,
                                         const std::optional<Capacity>& capacity = {});

// The sentence to read first: the batch beyond which a larger one does not pay off; otherwise how
// time grows with work; otherwise that neither is known.
std::string sweep_lead(const Sweep& sweep);

// The runs as rows, and the columns for a sweep of this mode and variable, because display flags
// are checked before anything is measured.
Table points_table(const Sweep& sweep, const std::optional<Extrapolation>& line);
std::vector<Column> point_columns(const std::string& variable, std::string_view mode);

}  // namespace strata
