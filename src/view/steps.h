// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/bottleneck.h"
#include "analyze/summary.h"
#include "op/convention.h"
#include "record/run.h"
#include "report/document.h"
#include "view/step_filter.h"

#include <string>

namespace strata {

// A run, its times and what bounds them: computed once, shown in several ways.
struct RunFindings {
    const Run& run;
    Summary summary;
    std::vector<StepBound> bounds;
    std::string_view convention = conventions().front().name;  // that its operations are counted by
};
RunFindings findings_of(const Run& run);

// The steps:
//
//   layer      pass      time [ms]   share [%]  GFLOP/s  GB/s  FLOP/B  ceiling [%]  bound    ...
//   conv1      forward   12.3 ± 0.1       18.2      180   1.2     146           91  compute  ...
//   norm1      forward    –¹
//   all steps             145            100
Table steps_table(const RunFindings& findings, const StepFilter& filter = {});

// Every step in the order of execution with all that is stored of it, for machines.
Document steps_document(const Run& run);

// "measured", "skipped: why", "failed: why", or "included: conv1 forward" where that step did it.
std::string status_of(const Measurement& measurement);

}  // namespace strata
