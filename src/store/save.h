// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "store/database.h"
#include "store/kernels.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

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

// What checkpoints have stored of a run that is measured, so that each only adds what is new: the
// medians of steps are computed when the run ends, or by who loads it as it is.
class Checkpoints {
public:
    // Requires: begin_run stored the run. The database must outlive this.
    Checkpoints(const Database& database, const Run& begun);

    // Stores the samples that are new, flags, provenance and memory, in one transaction. Requires:
    // the steps are those begun with.
    void store(const Run& run);

private:
    bool only_grew(const Run& run) const;
    void remember(const Run& run);

    const Database* database_;
    std::int64_t number_ = 0;
    std::vector<std::size_t> stored_;    // samples, by step
    std::vector<Seconds> instrumented_;  // what thinning the samples changes like those of steps
};

// Stores everything, with the run's own state and what is computed from its samples.
void finish_run(const Database& database, const Run& run);

// Stores a run in a file of this process beside a database that cannot be written now, and returns
// its name: merging it (store/merge.h) brings the run into the database.
std::filesystem::path keep_beside(const Database& database, Run run);

// A run that is there as a whole: modelled, imported, or measured elsewhere. It gets a new id.
void save_run(const Database& database, Run& run);

// The same of an imported one, unless one with equal settings, which include the hash of its file,
// is there already, whose id it then gets.
Stored save_imported(const Database& database, Run& run);

// The same of many in one transaction: how many were not there before.
std::size_t save_imported(const Database& database, std::span<Run> runs);

}  // namespace strata
