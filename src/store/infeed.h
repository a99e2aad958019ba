// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "store/database.h"

#include <cstdint>
#include <optional>

namespace strata {

class TableWriter;

// The infeed times of a run; nothing if it was not fed. Throws Error if a series is missing or
// empty.
std::optional<InfeedResult> load_infeed(const Database& database, std::int64_t run);

// For the parts of a run (store/run_parts.h).
void load_infeed(const Database& database, Run& run);
void store_infeed(TableWriter& to, const Run& run);

}  // namespace strata
