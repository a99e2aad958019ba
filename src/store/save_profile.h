// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "store/database.h"

namespace strata {

// Stores what a device told of a run beside times: its trace, the trace's kernels as a set of their
// own, and the steps' counters. What is stored already stays: neither changes once it is known.
// Requires: a transaction, in which the run's own rows are stored.
void store_profile(const Database& database, const Run& run);

}  // namespace strata
