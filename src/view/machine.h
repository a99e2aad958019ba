// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "report/document.h"

#include <string>

namespace strata {

// One line that says where a run's numbers come from:
//   "measured on Intel Xeon Platinum 8581C, 2 threads, onednn 2.6.3, 2026-11-21T13:15:00Z, run 12"
std::string machine_line(const Run& run);

// "alexnet, batch 32, training, f32, onednn direct"
std::string settings_line(const Run& run);

// The same where a run is one of several that share all but a value: "runs 3 to 9", "batch 1 to 8".
std::string machine_line(const Run& run, const std::string& runs);
std::string settings_line(const Settings& settings, const std::string& batch);

// Everything that is known of how the run was made: settings, then provenance, a row each.
Table provenance_table(const Run& run);

// What to doubt: a row for each flag; no rows where nothing was found.
Table flags_table(const Run& run);

}  // namespace strata
