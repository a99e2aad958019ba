// SPDX-License-Identifier: MIT
#pragma once

#include "record/observation.h"
#include "store/database.h"

namespace strata {

// All runs of the database as observations, by id. SQL sums the steps and no sample is loaded, so
// 100,000 runs are read in seconds. A run with a skipped or failed step has the reason instead of a
// time.
Observations load_observations(const Database& database);

}  // namespace strata
