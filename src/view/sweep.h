// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/sweep.h"
#include "report/document.h"

#include <string>
#include <vector>

namespace strata {

// How large a batch this machine can hold, by the network's footprint.
struct Capacity {
    std::int64_t batch = 0;  // 0: not even one image
    Bytes memory;            // free when it was asked
};

// Runs that differ in one number, beside each other; over the batch the time is a latency and
// images per second stand beside it:
//
//   lstm:hidden=1024, batch 20, training, f32, onednn direct: hidden 64 to 1024
//   measured on Intel Xeon ..., 2 threads, onednn 2.6.3, 2026-11-21T13:15:00Z, run 12
//
//   hidden  work [GFLOP]  time [ms]  rate [GFLOP/s]  by the line [ms]  beside it [%]  memory [MB]
//       64         0.041  2.4 ± 0.0            17.1              2.41           -0.4          3.1
//   ...
//   Slope: the hardware ran at 98.2 GFLOP/s (97.1 to 99.3) ...
//   Intercept: the framework took 2.0 ms (1.9 to 2.1) of every iteration ...
//
// What did not run stands there with its reason.
Document sweep_document(const Sweep& sweep, const std::optional<Capacity>& capacity = {});

// Its parts, for a report that has more to say: the table, sentences and chart.
std::vector<Block> sweep_blocks(const Sweep& sweep, const std::optional<Capacity>& capacity = {});

// What the sweep says, a sentence each: the line, where it does not hold, saturation, capacity.
std::vector<std::string> sweep_sentences(const Sweep& sweep,
                                         const std::optional<Capacity>& capacity = {});

// The same by the contract for scripts; what was not measured or does not exist is null:
// {"variable", "network", "backend", "mode", "dtype", "threads",
//  "points": [{"value", "batch", "run", "status", "flops", "bytes", "time": {"median_s", "low_s",
//              "high_s", "samples"}, "throughput": {"median", "low", "high"},
//              "predicted_memory_bytes", "measured_memory_bytes"}],
//  "fit": {"points", "flop_per_s", "flop_per_s_low", "flop_per_s_high", "framework_s",
//          "framework_low_s", "framework_high_s", "half_rate_flops", "r_squared", "fitted_s",
//          "residual_s", "describes", "misfit"},
//  "saturation": {"batch", "earliest", "latest", "best_batch", "best_per_s", "still_growing"},
//  "capacity": {"batch", "memory_bytes", "provenance"}}
std::string sweep_json(const Sweep& sweep, const std::optional<Capacity>& capacity = {});

}  // namespace strata
