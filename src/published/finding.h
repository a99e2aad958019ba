// SPDX-License-Identifier: MIT
#pragma once

#include "base/toml_section.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A statement of a publication about some layers, in words or a single number rather than a number
// for each layer.
enum class FindingMeasure {
    top_stalls,          // the main stall reasons, as many as are published
    stall_share,         // share of the time in which warps do not issue, %
    bypass_gain,         // speedup of the best layer when bypassing L1, %
    time_share,          // share of a training step, without updates, %
    l2_read_hit_rate,    // %
    dram_rate_rank,      // rank of the fastest layer by DRAM throughput, from 1
    multiply_add_ratio,  // fp32 multiply-adds over those on the other device
    speedup,             // time on the other device over that on this one
};
inline constexpr std::array<std::string_view, 8> names_of(FindingMeasure) {
    return {"top_stalls",       "stall_share",    "bypass_gain",        "time_share",
            "l2_read_hit_rate", "dram_rate_rank", "multiply_add_ratio", "speedup"};
}

// Reasons for stalls by the names of NVIDIA's profilers before Volta, and two sums of them.
enum class StallReason {
    execution_dependency,
    pipe_busy,
    memory_dependency,
    memory_throttle,
    synchronization,
    not_selected,
    instruction_fetch,  // not modelled
    compute,            // execution_dependency and pipe_busy
    memory,             // memory_dependency and memory_throttle
};
inline constexpr std::array<std::string_view, 9> names_of(StallReason) {
    return {"execution_dependency", "pipe_busy",       "memory_dependency",
            "memory_throttle",      "synchronization", "not_selected",
            "instruction_fetch",    "compute",         "memory"};
}

// One finding.
struct PublishedFinding {
    std::string name = {};
    FindingMeasure measure = FindingMeasure::top_stalls;
    std::string device = {};
    std::string over = {};    // the device to compare with
    std::string layers = {};  // a glob
    std::string pass = {};    // empty: all except the update
    std::vector<StallReason> stalls = {};
    std::optional<double> published = {};  // absent: given by reasons, or not at all
};

// Throws Error, naming the place and a fix.
PublishedFinding finding_of(const TomlSection& section);

}  // namespace strata
