// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "store/database.h"

#include <cstdint>
#include <optional>

namespace strata {

// What feeding a run with images took; nothing where it was not fed. Throws Error where a series is
// missing or empty.
std::optional<InfeedResult> load_infeed(const Database& database, std::int64_t run);

// Stores a run's infeed in the place of what was stored of it. Requires: a transaction, in which
// the run's own row is stored.
void store_infeed(const Database& database, const Run& run);

}  // namespace strata
