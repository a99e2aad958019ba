// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "report/document.h"
#include "view/rollup.h"
#include "view/steps.h"

#include <span>
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
//   Where most could be won
//   1. pool1 forward takes 32.2 ms and could save at most 32 ± 0.4 ms, 4.6 % of the step: ...
//      try: strata run alexnet --batch 32 --slice pool1 --cache warm
//   With every step at its ceiling the 700 ms of all steps would be 345 ms (49 %). ...
//   Near their ceilings
//   1. 12 steps run at 75 % of the f32 peak or more and take 61 % of the step ...
//
// Rates are counted by the convention; what bounds a step is not.
// Where the steps are grouped (`by`), rollup_table stands in the place of steps_table.
Document run_document(const Run& run, const StepFilter& filter = {},
                      const Convention& convention = conventions().front(),
                      std::span<const Grouping> by = {});

// What must be known before any number is read: that a step is missing, or that the run was
// interrupted. A paragraph each.
std::vector<Block> warning_blocks(const Run& run);

// What a device told of the run beside times: its kernels and counters, where they were asked for.
std::vector<Block> profile_blocks(const Run& run, const StepFilter& filter = {});

// Where most could be won with the commands to try, what all of it would come to, what is at its
// ceiling, and remarks on the run as a whole, a paragraph each.
std::vector<Block> verdict_blocks(const RunFindings& findings);

}  // namespace strata
