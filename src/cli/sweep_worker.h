// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"
#include "cli/session.h"
#include "sweep/measured.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

// A sweep is measured in a separate process, so that a point that crashes or takes too long ends
// alone. On standard error it tells which point it begins and which it has ended, an event in a
// line of JSON.
namespace strata {

// The measuring process.
struct WorkerCall {
    const SweepSpec& spec;
    std::int64_t open = 0;               // points without an outcome
    std::filesystem::path database;      // in which it stores
    std::vector<std::string> arguments;  // of strata
    // Receives the position of each point with a new outcome; replaces the progress line.
    std::function<void(std::int64_t position)> point_ends = {};
};

// Runs it until every point has its outcome, restarting it after a point that ended it, which is
// then that point's outcome. Shows the progress. Returns `interrupted` after an interrupt,
// otherwise `done`. Throws its message as Error if it cannot measure at all.
ExitCode measure_by_worker(const WorkerCall& call);

// The work of that process.
ExitCode work_on_sweep(const SweepSpec& spec, const MeasuredPart& part, Session& session);

// "3.1 points/s, 2 min left", counted since the start.
class PointRate {
public:
    std::string text(std::int64_t done, std::int64_t left) const;

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace strata
