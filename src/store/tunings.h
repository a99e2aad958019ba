// SPDX-License-Identifier: MIT
#pragma once

#include "record/tuning.h"
#include "store/database.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// The stored choices of algorithms that hold in one scope: of this machine, library, threads,
// type, mode and fusion. Lives no longer than the database.
class StoredTunings {
public:
    StoredTunings(const Database& database, TuningScope scope);

    // What was chosen for a problem's pass; nothing where it was not tuned.
    std::optional<TunedPass> tuned(const std::string& problem, Pass pass) const;

    // Trials of a problem's pass, finished or not, from which a tuning goes on.
    std::vector<TuningTrial> trials(const std::string& problem, Pass pass) const;

    // Each replaces what was stored of its problem, pass and algorithm; all or none.
    void store(std::span<const TuningTrial> trials) const;

    // Each replaces what was stored of its problem and pass; all or none.
    void store(std::span<const TunedPass> passes) const;

    // Forgets trials and choices of a problem.
    void forget(const std::string& problem) const;

    const TuningScope& scope() const { return scope_; }

private:
    const Database* database_;
    TuningScope scope_;
};

}  // namespace strata
