// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <filesystem>
#include <optional>
#include <string>

namespace strata {

// Physical memory of a process, as the kernel counts it; nothing if the kernel does not report
// it.
struct MemoryUse {
    std::optional<Bytes> resident;
    std::optional<Bytes> peak;  // the highest since the process began, or since reset_peak_memory
};

// Reads /proc/self/status under `root`, or that of the process with this number.
MemoryUse read_memory_use(const std::filesystem::path& root = "/",
                          const std::string& process = "self");

// The peak memory allocated between two readings, if the peak was reset at the first. Nothing if
// the kernel does not report it, or if the process released more than it allocated: a small network
// needs less than the process holds in reserve.
std::optional<Bytes> memory_taken(const MemoryUse& before, const MemoryUse& after);

// The memory that the machine can still provide without swapping (MemAvailable of /proc/meminfo
// under `root`); nothing if the kernel does not report it.
std::optional<Bytes> available_memory(const std::filesystem::path& root = "/");

// Sets the peak to the current resident size (/proc/self/clear_refs). Returns false if that is not
// allowed: the peak then still includes what came before.
bool reset_peak_memory();

}  // namespace strata
