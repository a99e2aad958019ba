// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"
#include "sweep/predicted.h"
#include "sweep/spec.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

// A sweep by the ranks that mpirun or srun started: each stores into its own database, and rank 0,
// which also works, joins those that it can reach.
namespace strata {

struct RankedSweep {
    const SweepSpec& spec;
    std::filesystem::path database;  // into which all are joined
    std::string folder = {};         // for the ranks' databases; empty: one of this user in $TMPDIR
    std::optional<int> cores = {};   // predicting cores of each rank; absent: its share
    KeptSteps steps = KeptSteps::all;
    // The arguments of strata to measure into that database.
    std::function<std::vector<std::string>(const std::filesystem::path& database)> arguments;
};

// Does this rank's part, until every point has its outcome. A rank's death is reported, and others
// redo what it had not stored. Rank 0 prints the plan, the rate, and how to join what it cannot
// reach. Throws Error if this strata has no MPI, and on rank 0 if its own work fails.
ExitCode sweep_by_ranks(const RankedSweep& call);

// "strata-my_grid": the beginning of the names of a sweep's files.
std::string file_name_of(const SweepSpec& spec);

}  // namespace strata
