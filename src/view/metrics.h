// SPDX-License-Identifier: MIT
#pragma once

#include "metric/catalogue.h"
#include "report/document.h"

namespace strata {

// Every metric that counters of a GPU can give:
//
//   set     collected   metric           unit  meaning                  missing on     stall
//   memory  by default  dram_read        B     read from device memory  GB10B, GB202…
//   stalls  on request  stall_barrier    %     waits for the other …                   sync
//
// with the formulas as a detail, and each set's remarks below.
Document metrics_document(const MetricCatalogue& catalogue);

}  // namespace strata
