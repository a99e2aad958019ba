// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "report/document.h"
#include "view/rollup.h"

#include <span>

namespace strata {

// A report on one or more runs: for each, how it was made and what to doubt, the headline numbers,
// the time by layer and pass as stacked bars, the steps under the roofline, the verdicts, the
// grouped steps (`by`, or as rollup_blocks does), and every step in a table that adds up to the
// total. Several runs begin with a summary, or with a sweep if they differ in one number only.
Document report_document(std::span<const Run> runs, std::span<const Grouping> by = {});

}  // namespace strata
