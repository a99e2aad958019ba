// SPDX-License-Identifier: MIT
#pragma once

#include "sweep/grid.h"
#include "sweep/point_predictor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace strata {

// The part of a grid that needs more memory than available, by the footprint of its networks.
struct MemoryFilter {
    std::optional<Bytes> memory;  // the limit for a point; absent: unknown
    std::string whose;            // "--max-memory gives"
    std::int64_t examined = 0;    // points; all of a small grid, else a random sample
    std::int64_t too_large = 0;   // of these
    Bytes largest = {};           // the most that one of these needs
};

// The work that a sweep is about to do.
struct SweepPlan {
    std::int64_t points = 0;            // in the grid
    std::int64_t own = 0;               // in the shard
    std::int64_t open = 0;              // of these, without an outcome
    std::vector<MemoryFilter> filters;  // for the machine, or by device
    // The expected duration: for measurements, by the limits of their policy, without preparing
    // networks; for predictions, from a sample.
    Seconds min_time = {};
    Seconds max_time = {};
};

// `finished` marks points that have an outcome; empty: none. `threads` predict, and keep `steps` of
// each point. Requires: `threads` >= 1.
SweepPlan plan_of(const SweepSpec& spec, const Shard& shard, const std::vector<bool>& finished,
                  int threads, KeptSteps steps = KeptSteps::all);

// The plan in lines:
//   paradnn-fc: ParaDnn's fully connected networks (Wang, Wei and Brooks 2020 (MLSys), Table 2)
//   9720 points: 1080 networks x 9 batches x 1 setting x 1 device (v100)
//   ...
std::string text_of(const SweepPlan& plan, const SweepSpec& spec, const Shard& shard);

// "2 h 5 min", "3.2 s".
std::string duration_text(Seconds time);

}  // namespace strata
