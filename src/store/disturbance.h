// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "store/database.h"

namespace strata {

// Which samples of a run other programs delayed, in place of what was stored of it.
void store_disturbance(const Database& database, const Run& run);

// Reads it into the run's samples. Throws Error where the marks are not those of the samples.
void load_disturbance(const Database& database, Run& run);

}  // namespace strata
