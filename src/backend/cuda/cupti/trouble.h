// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace strata::cuda {

// Why CUPTI cannot trace or count here. Each reason has one fix.
enum class ProfilerTrouble {
    no_library,
    no_driver,
    insufficient_privileges,
    another_profiler,
    hardware_busy,
    virtualized,
    virtualized_without_privileges,
    confidential_computing,
    mig,
    unsupported_device,
    unknown_chip,
    unknown_counter,
    old_library,
    no_counters,
    out_of_memory,
    device_failed,
    ranges_dropped,
    endless_passes,
    refused,
};
inline constexpr std::array<std::string_view, 19> names_of(ProfilerTrouble) {
    return {"no_library",
            "no_driver",
            "insufficient_privileges",
            "another_profiler",
            "hardware_busy",
            "virtualized",
            "virtualized_without_privileges",
            "confidential_computing",
            "mig",
            "unsupported_device",
            "unknown_chip",
            "unknown_counter",
            "old_library",
            "no_counters",
            "out_of_memory",
            "device_failed",
            "ranges_dropped",
            "endless_passes",
            "refused"};
}

// One sentence: what was being done, the obstacle, the fix. The steps concerned have no counters
// for this reason; times and results are kept.
class ProfilerError : public Error {
public:
    ProfilerError(ProfilerTrouble trouble, std::string_view doing, std::string_view detail = {});
    ProfilerTrouble trouble() const { return trouble_; }

private:
    ProfilerTrouble trouble_;
};

// What a result code of CUPTI (CUptiResult) means.
ProfilerTrouble trouble_of(int code);

// Does nothing for code 0 (CUPTI_SUCCESS); otherwise throws ProfilerError.
void require_cupti(int code, std::string_view doing);

// A parameter block of CUPTI's profiling interface, all zero except its size. CUPTI expects the
// size up to the end of the last field, without trailing padding.
template <class Block>
Block parameters(std::size_t size) {
    Block block{};
    block.structSize = size;
    return block;
}

}  // namespace strata::cuda
