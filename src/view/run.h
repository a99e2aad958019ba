// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "report/document.h"
#include "view/steps.h"

#include <string>

namespace strata {

// Where the time of a run goes, and why:
//
//   alexnet, batch 32, training, f32, onednn direct
//   measured on Intel Xeon ..., 2 threads, onednn 2.6.3, 2026-11-21T13:15:00Z, run 12
//
//   layer  pass      time [ms]   share [%]  ...        (steps_table)
//   budget ...                                        (budget_table)
//   memory ...                                        (memory_table)
//   kernels by layer, counters ...                    (profile_blocks, where they were recorded)
//   Doubts about the measurement                      (where there are any)
//   The five heaviest steps
//   1. conv2 backward_weights takes 18 % of the step (36.1 ms): it runs at 91 % of the f32 peak,
//   ...
//
// Rates are counted by the convention; what bounds a step is not.
Document run_document(const Run& run, const StepFilter& filter = {},
                      const Convention& convention = conventions().front());

// What must be known before any number is read: that a step is missing, or that the run was
// interrupted. A paragraph each.
std::vector<Block> warning_blocks(const Run& run);

// What a device told of the run beside times: its kernels and counters, where they were asked for.
std::vector<Block> profile_blocks(const Run& run, const StepFilter& filter = {});

// The sentences on the heaviest steps and the run as a whole, a paragraph each.
std::vector<Block> verdict_blocks(const RunFindings& findings);

}  // namespace strata
