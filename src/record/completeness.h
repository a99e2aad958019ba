// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

#include <string>
#include <string_view>

namespace strata {

// The steps of a run that are missing: they could not run here, or failed. A step that ran as part
// of another step's operation is not missing.
struct Holes {
    std::size_t steps = 0;  // all steps of the run
    std::size_t skipped = 0;
    std::size_t failed = 0;
    std::string first = {};  // "conv1 forward: lrn: not in onednn"

    bool any() const { return skipped + failed > 0; }
};

Holes holes_of(const Run& run);

// Whether a step of the network was skipped or failed. The iterations of such a run are not those
// of the network: it has no end to end time, throughput or shares, it is not compared with other
// runs, and it is not a point of a sweep. Views of the database say the same by state
// (run_summary).
bool is_incomplete(const Run& run);

// "partial" (interrupted, or still running), "incomplete" or "complete".
std::string_view progress_of(const Run& run);

// "21 of 25 steps could not run here and 1 failed (conv1 forward: why)"; empty if no step is
// missing.
std::string holes_text(const Run& run);

// The sentence on what an incomplete run lacks; empty for any other run.
//   "This run is incomplete: 21 of 25 steps could not run here (conv1 forward: why). Sums cover the
//    steps that ran. The total time is unknown, so there is no end to end time ..."
std::string incompleteness_sentence(const Run& run);

}  // namespace strata
