// SPDX-License-Identifier: MIT
#pragma once

#include "measure/clock.h"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace strata {

// Monotonic counters of this machine and process at one moment. A value that the kernel does not
// report is absent, which is not 0.
struct Activity {
    Seconds when;
    std::optional<Seconds> stolen;     // all processors' time that the hypervisor gave to others
    std::optional<Seconds> processor;  // all processors' time, idle or not
    std::optional<std::int64_t> preemptions;   // involuntary context switches of this process
    std::optional<std::int64_t> major_faults;  // pages of this process read from disk
    std::optional<Seconds> throttled;          // time this control group was stopped by its quota
};

// Reads /proc and /sys under `root`; the process is this one.
Activity read_activity(Clock& clock, const std::filesystem::path& root = "/");

// The change between two moments.
struct ActivityChange {
    Seconds elapsed;
    std::optional<double> stolen_share;  // of all processors' time
    std::optional<double> preemptions_per_second;
    std::optional<std::int64_t> major_faults;
    std::optional<Seconds> throttled;
};

ActivityChange change_between(const Activity& before, const Activity& after);

}  // namespace strata
