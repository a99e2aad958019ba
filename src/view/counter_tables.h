// SPDX-License-Identifier: MIT
#pragma once

#include "metric/catalogue.h"
#include "record/run.h"
#include "report/document.h"
#include "view/step_filter.h"

#include <vector>

namespace strata {

// The counters of a run's steps, a table for each set of metrics that was counted; empty if none
// was:
//
//   counters: Device memory and caches
//   layer  pass     dram_read [MB]  dram_written [MB]  ...  l2_hit_rate [%]
//   conv1  forward            12.1                9.6  ...             71.2
//
// Earlier versions counted equal steps once; these share one line, with their number in a column
// `alike`. A counter that could not be read is a dash with its reason. The stalls' ten categories
// (Dong et al., ICPE 2018) have a separate table.
std::vector<Table> counter_tables(const Run& run, const MetricCatalogue& catalogue,
                                  const StepFilter& filter = {});

}  // namespace strata
