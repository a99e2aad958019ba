// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "store/database.h"
#include "store/statement.h"
#include "trace/trace.h"

#include <optional>

namespace strata {

// Adds to a loaded run its trace and its steps' counters. Throws Error where rows make no sense.
void load_profile(const Database& database, Run& run);

// Stores what a device recorded of a run beside its times: its trace, the trace's kernels as a set
// of their own, and the steps' counters. What is stored already stays: neither changes once it is
// known. Requires: a transaction, in which the run's own rows are stored.
void store_profile(const Database& database, const Run& run);

// The nine columns of a launch, grid_x to dynamic_shared, from this one on; nothing where they are
// NULL.
std::optional<LaunchShape> launch_at(const Statement& row, int column);

}  // namespace strata
