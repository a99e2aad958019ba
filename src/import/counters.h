// SPDX-License-Identifier: MIT
#pragma once

#include "import/recording.h"
#include "metric/catalogue.h"
#include "record/metric_result.h"

#include <vector>

namespace strata {

// The combined counters of several pieces of work: amounts (".sum") add up; shares, averages and
// rates do not, and exist only for a single piece of work.
void add_counters(RecordedCounters& sum, const RecordedCounters& other);

// Strata's metrics (data/metrics) whose counters all exist, then the remaining counters under their
// own names.
std::vector<MetricResult> metrics_of(const RecordedCounters& counters,
                                     const MetricCatalogue& catalogue);

}  // namespace strata
