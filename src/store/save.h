// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "store/database.h"

#include <cstdint>
#include <optional>

namespace strata {

// A position among the runs of a plan (store/plan.h).
struct PlanPosition {
    std::int64_t plan = 0;
    std::int64_t index = 0;  // from 0
};

// A run is stored while it is measured, each call one transaction, so that whatever kills the
// program leaves a partial run with its samples up to the last checkpoint. All throw Error where
// the database cannot take it.

// Stores a run, as partial, that has its steps and no or few samples yet, and gives it its id. A
// run that has an id already is continued: its rows are renewed. Requires: run.created.
void begin_run(const Database& database, Run& run, std::optional<PlanPosition> position = {});

// Stores all samples so far, flags, provenance and memory. Requires: the steps are those begun
// with.
void checkpoint_run(const Database& database, const Run& run);

// The last checkpoint, which also stores the run's own state.
void finish_run(const Database& database, const Run& run);

// A run that is there as a whole: modelled, imported, or measured elsewhere.
void save_run(const Database& database, Run& run);

}  // namespace strata
