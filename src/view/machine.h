// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "report/document.h"

#include <string>

namespace strata {

// One line on the origin of a run's numbers:
//   "measured on Intel Xeon Platinum 8581C, 2 threads, onednn 2.6.3, 2026-11-21T13:15:00Z, run 12"
std::string machine_line(const Run& run);

// For a run on a device whose state was sampled:
//   "core clock 1695 to 1980 MHz of 1980 MHz, memory clock 3201 MHz, 612 to 698 W of 700 W,
//    45 to 61 C, driver 580.65.06"
// For a prediction: the rates it used and their error. Empty if nothing was reported.
std::string device_line(const Run& run);

// What was run, how, and every setting that is not the default; for convolutions, the algorithm
// that really ran:
//   "alexnet, batch 32, training, f32, onednn direct, caches cold, seed 2"
std::string settings_line(const Run& run);

// The same for one of several runs that share all but one value: "runs 3 to 9", "batch 1 to 8".
std::string machine_line(const Run& run, const std::string& runs);
std::string settings_line(const Settings& settings, const std::string& batch,
                          const std::string& algorithm);

// The settings without a column in lists of runs, if they are not the default:
//   "algorithm winograd, single precision tf32"
std::string other_settings_line(const Settings& settings);

// The result of comparing the steps with the reference, and the worst of them:
//   "134 steps verified against the reference, all agree; worst error 3.0e-06 (conv2
//    backward_weights, tolerance 1.0e-04)"
// Empty if they were not verified.
std::string verification_line(const Run& run);

// The user's annotations of the run: "tagged baseline, quiet; note: after the upgrade"; may be
// empty.
std::string annotation_line(const Run& run);

// Everything known about how the run was made: settings, then provenance, one row each.
Table provenance_table(const Run& run);

// Reasons for doubt: one row for each flag; no rows if nothing was found.
Table flags_table(const Run& run);

}  // namespace strata
