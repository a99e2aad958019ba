// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

#include <string>
#include <string_view>

namespace strata {

// The steps of a run that were not done: could not run here, or failed. What was done in one
// operation with another step is none of them.
struct Holes {
    std::size_t steps = 0;  // of the run, all of them
    std::size_t skipped = 0;
    std::size_t failed = 0;
    std::string first = {};  // "conv1 forward: lrn: not in onednn"

    bool any() const { return skipped + failed > 0; }
};

Holes holes_of(const Run& run);

// Whether a step that belongs to the network was skipped or failed. The iterations of such a run
// are not the network's: they are no end to end time, give no throughput and no shares, and the run
// is no side
// of a comparison and no point of a sweep. Views of the database say the same by state
// (run_summary).
bool is_incomplete(const Run& run);

// Its place between begun and done: "partial" (interrupted, or still going on), "incomplete",
// "complete".
std::string_view progress_of(const Run& run);

// "21 of 25 steps could not run here and 1 failed (conv1 forward: why)"; empty where there is
// no hole.
std::string holes_text(const Run& run);

// What an incomplete run is not; empty of any other.
//   "This run is incomplete: 21 of 25 steps could not run here (conv1 forward: why). The sums are
//    of the steps that ran; what the whole takes is not known, so there is no end to end time ..."
std::string incompleteness_sentence(const Run& run);

}  // namespace strata
