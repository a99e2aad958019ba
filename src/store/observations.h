// SPDX-License-Identifier: MIT
#pragma once

#include "record/observation.h"
#include "store/database.h"

namespace strata {

// Every run of the database in one line, by id. Steps are summed by SQL and no sample is loaded, so
// that 100,000 runs are read in seconds. A run with a step that was skipped or failed has no time,
// and says why.
Observations load_observations(const Database& database);

}  // namespace strata
