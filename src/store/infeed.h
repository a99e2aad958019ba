// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "store/database.h"

#include <cstdint>
#include <optional>

namespace strata {

// The infeed times of a run; nothing if it was not fed. Throws Error if a series is missing or
// empty.
std::optional<InfeedResult> load_infeed(const Database& database, std::int64_t run);

// Stores a run's infeed, replacing an earlier one. Requires: a transaction in which the run's own
// row is stored.
void store_infeed(const Database& database, const Run& run);

}  // namespace strata
