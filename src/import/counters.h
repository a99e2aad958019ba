// SPDX-License-Identifier: MIT
#pragma once

#include "import/recording.h"
#include "metric/catalogue.h"
#include "record/metric_result.h"

#include <vector>

namespace strata {

// The counters of several pieces of work together: amounts (".sum") add up; shares, averages and
// rates do not, and only a piece of work alone has them.
void add_counters(RecordedCounters& sum, const RecordedCounters& other);

// Strata's metrics (data/metrics) whose counters are all there, then by their own names the
// counters that none of these needs.
std::vector<MetricResult> metrics_of(const RecordedCounters& counters,
                                     const MetricCatalogue& catalogue);

}  // namespace strata
