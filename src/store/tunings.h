// SPDX-License-Identifier: MIT
#pragma once

#include "record/tuning.h"
#include "store/database.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// The stored choices of algorithms of one scope: machine, library, threads, type, mode and fusion.
// Must not outlive the database.
class StoredTunings {
public:
    StoredTunings(const Database& database, TuningScope scope);

    // The choice for a problem's pass; nothing if it was not tuned.
    std::optional<TunedPass> tuned(const std::string& problem, Pass pass) const;

    // Trials of a problem's pass, finished or not, from which a tuning continues.
    std::vector<TuningTrial> trials(const std::string& problem, Pass pass) const;

    // Each replaces the stored one of its problem, pass and algorithm; all or none.
    void store(std::span<const TuningTrial> trials) const;

    // Each replaces the stored one of its problem and pass; all or none.
    void store(std::span<const TunedPass> passes) const;

    // Deletes trials and choices of a problem.
    void forget(const std::string& problem) const;

    const TuningScope& scope() const { return scope_; }

private:
    const Database* database_;
    TuningScope scope_;
};

}  // namespace strata
