// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"
#include "cli/measuring.h"
#include "sweep/measured.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

// A sweep is measured by a process of its own, so that a point that crashes, or takes too long,
// ends alone. It says on its standard error which point it begins and which it has ended.
namespace strata {

// The process that measures.
struct WorkerCall {
    const SweepSpec& spec;
    std::int64_t open = 0;               // points without an outcome
    std::filesystem::path database;      // that it stores into
    std::vector<std::string> arguments;  // of strata
    // Told the position of each point that has got its outcome, instead of showing the progress.
    std::function<void(std::int64_t position)> point_ends = {};
};

// Runs it until every point has its outcome, and again where a point ended it: that is then the
// point's outcome. Shows the progress. Returns `interrupted` after an interrupt, otherwise `done`.
// Throws what it says where it cannot measure at all.
ExitCode measure_by_worker(const WorkerCall& call);

// What that process does.
ExitCode work_on_sweep(const SweepSpec& spec, const MeasuredPart& part,
                       const std::filesystem::path& file, WhenLocked when_locked);

// "3.1 points/s, 2 min left", since it began.
class PointRate {
public:
    std::string text(std::int64_t done, std::int64_t left) const;

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace strata
