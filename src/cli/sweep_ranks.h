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

// A sweep by the ranks that mpirun or srun started: each works into a database of its own, and rank
// 0, which works, too, joins those that it can reach.
namespace strata {

struct RankedSweep {
    const SweepSpec& spec;
    std::filesystem::path database;  // that all is joined in
    std::string folder = {};         // for the ranks' own; empty: one of this user in $TMPDIR
    std::optional<int> cores = {};   // of each rank, on which it predicts; absent: its share
    KeptSteps steps = KeptSteps::all;
    // Of strata, to measure into that database.
    std::function<std::vector<std::string>(const std::filesystem::path& database)> arguments;
};

// This rank's part, until every point has its outcome. A rank that dies is told, and others do what
// it had not stored. Rank 0 prints the plan, the rate, and how to join what it cannot reach. Throws
// Error where this strata has no MPI, and on rank 0 where its own work fails.
ExitCode sweep_by_ranks(const RankedSweep& call);

// "strata-my_grid": the beginning of the names of a sweep's files.
std::string file_name_of(const SweepSpec& spec);

}  // namespace strata
