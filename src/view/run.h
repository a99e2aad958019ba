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
//   layers of fused steps                             (fused_table, where there are any)
//   budget ...                                        (budget_table)
//   memory ...                                        (memory_table)
//   kernels by layer, counters ...                    (profile_blocks, where they were recorded)
//   Doubts about the measurement                      (where there are any)
//   Largest possible gains
//   1. pool1 forward takes 32.2 ms and could save at most 32 ± 0.4 ms, 4.6 % of the step: ...
//      try: strata run alexnet --batch 32 --slice pool1 --cache warm
//   With every step at its ceiling the 700 ms of all steps would be 345 ms (49 %). ...
//   Near their ceilings
//   1. 12 steps run at 75 % of the f32 peak or more and take 61 % of the step ...
//
// Rates are counted by the convention; what bounds a step is not.
// Where the steps are grouped (`by`), rollup_table replaces steps_table.
Document run_document(const Run& run, const StepFilter& filter = {},
                      const Convention& convention = conventions().front(),
                      std::span<const Grouping> by = {});

// Warnings that must precede any number: that a step is missing, or that the run was interrupted. A
// paragraph each.
std::vector<Block> warning_blocks(const Run& run);

// What a device recorded besides times: kernels and counters, where they were requested.
std::vector<Block> profile_blocks(const Run& run, const StepFilter& filter = {});

// The largest possible gains with commands to try, their total, the steps near their ceilings, and
// remarks on the run as a whole. A paragraph each.
std::vector<Block> verdict_blocks(const RunFindings& findings);

}  // namespace strata
