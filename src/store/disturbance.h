// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "store/database.h"

namespace strata {

// Stores which samples of a run other programs delayed, replacing earlier marks.
void store_disturbance(const Database& database, const Run& run);

// Reads the marks into the run's samples. Throws Error if they do not fit the samples.
void load_disturbance(const Database& database, Run& run);

}  // namespace strata
