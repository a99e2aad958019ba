// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <filesystem>
#include <optional>

namespace strata {

// Physical memory of this process, as the kernel counts it; nothing where it does not tell.
struct MemoryUse {
    std::optional<Bytes> resident;
    std::optional<Bytes> peak;  // the highest since the process began, or since reset_peak_memory
};

// Reads /proc/self/status below `root`.
MemoryUse read_memory_use(const std::filesystem::path& root = "/");

// What was taken at the highest between two readings, the peak having been reset at the first.
// Nothing where the kernel does not tell, or where the process gave back more than it took: what a
// small network needs is less than what the process holds in reserve.
std::optional<Bytes> memory_taken(const MemoryUse& before, const MemoryUse& after);

// What the machine can still give without swapping (MemAvailable of /proc/meminfo below `root`);
// nothing where the kernel does not tell.
std::optional<Bytes> available_memory(const std::filesystem::path& root = "/");

// Sets the peak to what is resident now (/proc/self/clear_refs). False where that is not allowed:
// the peak then still holds what came before.
bool reset_peak_memory();

}  // namespace strata
