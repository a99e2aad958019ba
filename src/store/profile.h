// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "store/database.h"

namespace strata {

class TableWriter;

// Adds its trace and its steps' counters to a loaded run. Throws Error if rows are invalid.
void load_profile(const Database& database, Run& run);

// Stores what was recorded of a run besides its times: its trace, the trace's kernels as a separate
// set, and the steps' counters. Existing rows stay, because neither changes once known. Requires: a
// transaction in which the run's own rows are stored.
void store_profile(TableWriter& to, const Run& run);

}  // namespace strata
