// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "report/document.h"
#include "view/rollup.h"
#include "view/steps.h"

#include <span>
#include <string>

namespace strata {

// How much of a run a page shows: the first page has only the heaviest families of steps.
enum class Extent { first_page, whole };

// Where the time of a run goes, and why:
//
//   alexnet, batch 32, training, f32, onednn direct
//   alexnet, batch 32, training: 700 ms, at 49 % of the machine's ceilings. Most could be ...
//   measured on Intel Xeon ..., 2 threads, onednn 2.6.3, 2026-11-21T13:15:00Z, run 12
//   doubt (drift): ...                                (if any)
//   Largest possible gains
//   1. pool1 forward takes 32.2 ms and would save 32 ± 0.4 ms at its ceiling, 4.6 % of the step:
//   ...
//      try: strata run alexnet --batch 32 --slice pool1 --cache warm
//   With every step at its ceiling the 700 ms of all steps would be 345 ms (49 %). ...
//   Time by operator ...                              (rollup_table)
//
//   layer  pass      time [ms]   share [%]  ...       (steps_table, or heaviest_table)
//   layers of fused steps                             (fused_table, if any)
//   budget ...                                        (budget_table)
//   memory ...                                        (memory_table)
//   kernels by layer, counters ...                    (profile_blocks, if recorded)
//
// The convention affects rates, but not bounds.
// If the steps are grouped (`by`), one rollup_table replaces both tables.
Document run_document(const Run& run, const StepFilter& filter = {},
                      const Convention& convention = conventions().front(),
                      std::span<const Grouping> by = {}, Extent extent = Extent::whole);

// What a device recorded besides times: kernels and counters, if requested.
std::vector<Block> profile_blocks(const Run& run, const StepFilter& filter = {});

}  // namespace strata
