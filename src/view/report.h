// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "report/document.h"
#include "view/rollup.h"

#include <span>

namespace strata {

// One or more runs to look at and to keep: for each, how it was made and what to doubt, the few
// numbers that matter, the time by layer and pass as stacked bars, the steps under the roofline,
// the verdicts, the grouped steps (`by`, or as rollup_blocks does), and every step in a table that
// closes its budget. Several runs are summed up first, and as a sweep where they differ in one
// number only.
Document report_document(std::span<const Run> runs, std::span<const Grouping> by = {});

}  // namespace strata
