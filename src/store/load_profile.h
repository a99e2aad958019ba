// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "store/database.h"

namespace strata {

// Adds to a loaded run its trace and its steps' counters. Throws Error where rows make no sense.
void load_profile(const Database& database, Run& run);

}  // namespace strata
