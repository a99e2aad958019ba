// SPDX-License-Identifier: MIT
#pragma once

#include "cli/options.h"
#include "run/rounds.h"

#include <filesystem>
#include <string>
#include <vector>

namespace strata {

// Processes of each side unless the user says otherwise.
inline constexpr int usual_rounds = 7;

// What `strata compare` measures: every network, backend, batch and setting with every other. Where
// one of them has several values, each is a side.
struct SidesOptions {
    NetworkOptions network;
    std::vector<std::string> backends;  // empty: the first of the list
    std::vector<Settings> asked{1};
    int rounds = 0;  // 0: not given
    bool verify = false;
    bool no_wait = false;
};

// The options besides the networks.
void add_sides_options(CLI::App& verb, SidesOptions& options);

// The sides, the baseline first; a backend that is not able to do what is asked is a side that is
// refused.
std::vector<Side> sides_of(const SidesOptions& options);

// Measures them in turn, each run in a process of its own, and stores the runs. Shows progress, and
// what the processes warn of, on standard error. Returns as measure_in_turn.
ExitCode measure_sides(std::vector<Side>& sides, const SidesOptions& options,
                       const std::filesystem::path& database);

}  // namespace strata
