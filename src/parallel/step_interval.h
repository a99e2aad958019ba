// SPDX-License-Identifier: MIT
#pragma once

#include "parallel/step.h"
#include "predict/network_interval.h"

namespace strata {

// The interval of a step that several devices share. Computing errs as the network does on one
// device, whose interval is `alone`; exchanges as collectives whose lines were fitted to others, if
// the link of all devices was measured. Both err independently, so distances to an end are added as
// squares. An exchange that takes longer is exposed by all that it takes more; one that takes less
// shortens the step by what is exposed at most. (What pipelines wait is part of computing.)
FoundInterval interval_of(const ParallelStep& step, const NetworkPrediction& prediction,
                          const FoundInterval& alone, const Cluster& cluster,
                          const ParallelPlan& plan);

}  // namespace strata
