// SPDX-License-Identifier: MIT
#pragma once

#include "base/enumeration.h"
#include "device/device.h"
#include "measure/statistics.h"
#include "op/problem.h"
#include "record/run.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The resource that limits a step's time.
enum class Bottleneck {
    compute,   // the arithmetic peak of its element type
    memory,    // main memory's bandwidth
    cache,     // a cache's bandwidth: the step is faster than main memory allows
    overhead,  // none of these: the step takes more than four times as long
    unknown,   // not measured, measured only with delays, no work, or no ceilings
};
inline constexpr std::array<std::string_view, 5> names_of(Bottleneck) {
    return {"compute", "memory", "cache", "overhead", "unknown"};
}

// A step and its machine's ceilings (the roofline of Williams et al. 2009, in times):
// clang-format off
//   compute = flops / peak(dtype)           the update is always in f32; of Winograd's algorithms
//                                           only the multiply-adds that their products execute
//   memory  = traffic / bandwidth(DRAM)     traffic: each operand read and each result written once
//   cache   = traffic / bandwidth(level)    the nearest level that holds the traffic, else the last
// clang-format on
// If time < memory, main memory cannot have served the step, and the cache's bound replaces
// memory's. The larger of the two bounds decides. If it explains less than a quarter of the time,
// the bottleneck is overhead.
struct StepBound {
    Bottleneck verdict = Bottleneck::unknown;
    std::string ceiling;  // "f32 peak", "DRAM bandwidth", "L2 bandwidth"
    std::optional<Seconds> compute;
    std::optional<Seconds> by_definition;  // compute, with all operations of the definition
    std::optional<Seconds> memory;
    // The larger of the two: no kernel with this arithmetic and traffic is faster.
    std::optional<Seconds> bound;
    // bound / time; above 1 if fewer operations were executed or a nearer cache served.
    std::optional<double> achieved;
    std::optional<Seconds> headroom;  // time - bound
};

// The share of the time that a bound must explain to count as the bottleneck.
inline constexpr double explaining_share = 0.25;

// The layer's operator with its attributes, whose shapes signature_of knows; nothing if this
// version cannot read them from the run.
std::optional<Problem> problem_in(const StepResult& step);

// Whether the step only renames a tensor: it has no work and no traffic.
bool is_alias(const StepResult& step);

// The bound of one step; empty for an alias, which has no ceiling.
StepBound bound_of(const StepResult& step, Seconds time, const Device& device,
                   std::string_view dtype);

// The name of a run's arithmetic in its ceilings: its element type, or "tf32".
std::string arithmetic_of(const Settings& settings);

// One for each step of the run; unknown if the run has no ceilings, or the step has no time except
// from delayed samples (record/step_times.h).
std::vector<StepBound> bounds_of(const Run& run);

// The ceilings stored in the run. Throws Error if they cannot be parsed.
const Device* ceilings_of(const Run& run);

// The command that measures the ceilings of what the run computed on: "strata calibrate --threads
// 2". Those of a GPU on which a framework computed are measured by the backend cuda.
std::string calibrate_command(const Run& run);

}  // namespace strata
