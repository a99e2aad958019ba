// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "store/database.h"

namespace strata {

class TableWriter;

// Stores which samples of a run other programs delayed.
void store_disturbance(TableWriter& to, const Run& run);

// Reads the marks into the run's samples. Throws Error if they do not fit the samples.
void load_disturbance(const Database& database, Run& run);

}  // namespace strata
