// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/compare.h"
#include "cli/options.h"
#include "cli/session.h"
#include "run/rounds.h"
#include "view/compared_sides.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// What `strata compare` measures: every network, backend, batch and setting with every other. Each
// value of each of them is a side.
struct SidesOptions {
    NetworkOptions network;
    std::vector<std::string> backends;  // empty: the first in the list
    std::vector<Settings> asked{1};
    int rounds = 0;  // 0: the usual number
    // Whether the rounds so far are enough; null: all are measured.
    std::function<bool(const std::vector<Side>& sides)> are_enough = {};
    bool verify = false;
    bool no_wait = false;
    bool names_algorithm = false;  // or a choice; no tuning is used then
};

// Adds the options besides the networks. Without --rounds, the number of rounds lies within these
// limits.
void add_sides_options(CLI::App& verb, SidesOptions& options, const RoundLimits& usual_rounds);

// Unless the user gave a number of rounds, measures until every side's whole is known against the
// first within the margin.
void measure_until_known(SidesOptions& options, const ComparisonRules& rules);

// The sides, the baseline first; a side is refused if its backend cannot do what is asked. Beside a
// backend of a GPU, frameworks that can compute on one do, unless the user names a device.
std::vector<Side> sides_of(const SidesOptions& options);

// Refuses the sides that cannot run on this machine, before anything is measured: a framework that
// is not installed, an element type that the processor lacks.
void refuse_what_cannot_run(Session& session, std::span<Side> sides);

// Makes sides use the algorithms that tunings in the database found for them, as `strata run`
// would, and says so on standard error, unless the user asked for algorithms.
void take_tunings(Session& session, std::vector<Side>& sides, const SidesOptions& options);

// Sides in order, which own their runs.
struct OwnedSides {
    std::vector<std::vector<Run>> runs = {};
    std::vector<std::string> names = {};  // what distinguishes them; may be empty
    std::vector<std::string> refusals = {};

    std::vector<ComparedSide> compared() const;
};

// What distinguishes them, by names_of_sides; the backend if there is only one.
std::vector<std::string> names_of(const std::vector<Side>& sides);

// Measures them in turn, each run in a separate process, and stores the runs. Shows progress,
// warnings of the processes, interrupts and lost sides on standard error. Empty if the user
// interrupted.
std::optional<OwnedSides> measured(std::vector<Side> sides, const SidesOptions& options,
                                   const std::filesystem::path& database);

// Throws Error with the reasons if no side was measured.
void require_a_side(const OwnedSides& sides);

}  // namespace strata
