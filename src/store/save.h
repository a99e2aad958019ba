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

// A run is stored while it is measured, each call one transaction, so that a killed program leaves
// a partial run with its samples up to the last checkpoint. All throw Error if the database cannot
// store it.

// Stores a run with its steps and few or no samples as partial, and sets its id. A run that already
// has an id is continued: its rows are renewed. Requires: run.created.
void begin_run(const Database& database, Run& run, std::optional<PlanPosition> position = {});

// The data that checkpoints have stored of a run being measured, so that each adds only new data:
// the medians of steps are computed when the run ends, or when it is loaded unfinished.
class Checkpoints {
public:
    // Requires: begin_run stored the run. The database must outlive this.
    Checkpoints(const Database& database, const Run& begun);

    // Stores new samples, flags, provenance and memory in one transaction. Requires: the steps
    // given to begin_run.
    void store(const Run& run);

private:
    bool only_grew(const Run& run) const;
    void remember(const Run& run);

    const Database* database_;
    std::int64_t number_ = 0;
    std::vector<std::size_t> stored_;    // samples, by step
    std::vector<Seconds> instrumented_;  // changes if the samples are thinned, like those of steps
};

// Stores everything, including the run's state and the summaries of its samples.
void finish_run(const Database& database, const Run& run);

// Stores a run in a separate file next to a database that cannot be written now, and returns its
// name: merging it (store/merge.h) adds the run to the database.
std::filesystem::path keep_beside(const Database& database, Run run);

// Stores a finished run: modelled, imported, or measured elsewhere. It gets a new id.
void save_run(const Database& database, Run& run);

// The same for an imported run, unless one with equal settings, including the hash of its file, is
// already stored; then it gets that one's id.
Stored save_imported(const Database& database, Run& run);

// The same for many runs in one transaction; returns how many were new.
std::size_t save_imported(const Database& database, std::span<Run> runs);

}  // namespace strata
