// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"
#include "run/job.h"
#include "store/save.h"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace strata {

// One side of a comparison to measure.
struct Side {
    Job job;
    std::string refusal = {};    // why it cannot be measured; empty: it can
    std::vector<Run> runs = {};  // one of each round
};

struct RoundsHooks {
    // Measures the job in a separate process, which stores the run at this place of a plan. Returns
    // the error; called only if no complete run is stored.
    std::function<std::string(const Job& job, PlanPosition position)> measure;
    // Whether the rounds so far are enough; called after each. Null: all are measured.
    std::function<bool(const std::vector<Side>& sides)> are_enough = {};
    // Called before each process: how many of all are done.
    std::function<void(const Side& side, int round, std::size_t done)> begins = {};
    // Whether the user interrupts; null: never.
    const std::atomic<bool>* stop = nullptr;
};

// Measures every side in at most this many processes. The sides alternate, in the opposite order in
// every second round, so that a machine's drift affects them alike. A side that cannot be measured
// is refused, and the others go on. Every run is stored as it is measured: the same command
// continues after an interrupt. Returns `interrupted` after one, otherwise `done`.
ExitCode measure_in_turn(std::vector<Side>& sides, int rounds, const Database& database,
                         const RoundsHooks& hooks);

}  // namespace strata
