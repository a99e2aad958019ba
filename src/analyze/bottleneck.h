// SPDX-License-Identifier: MIT
#pragma once

#include "base/enumeration.h"
#include "device/device.h"
#include "measure/statistics.h"
#include "record/run.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// What decides a step's time.
enum class Verdict {
    compute,   // the arithmetic peak of its element type
    memory,    // main memory's bandwidth
    cache,     // a cache's bandwidth: it is faster than main memory would allow
    overhead,  // none of these: it takes more than four times what they explain
    unknown,   // not measured, no work, or no ceilings to judge by
};
inline constexpr std::array<std::string_view, 5> names_of(Verdict) {
    return {"compute", "memory", "cache", "overhead", "unknown"};
}

// A step against the ceilings of its machine (the roofline of Williams et al. 2009, in times):
//   compute = flops / peak(dtype)             the update always in f32
//   memory  = traffic / bandwidth(DRAM)       traffic: each operand read once, each result written
//   once cache   = traffic / bandwidth(level)      the nearest level that holds the traffic, else
//   the last
// Where time < memory, main memory cannot have served it and the cache's bound takes memory's
// place. The larger of the two bounds decides; below a quarter of the time it explains nothing:
// overhead.
struct StepBound {
    Verdict verdict = Verdict::unknown;
    std::string ceiling;  // "f32 peak", "DRAM bandwidth", "L2 bandwidth"
    std::optional<Seconds> compute;
    std::optional<Seconds> memory;
    std::optional<Seconds>
        bound;  // the larger: no kernel with this arithmetic and traffic beats it
    std::optional<double> achieved;  // bound / time; above 1 where fewer operations were done, or a
                                     // nearer cache served
    std::optional<Seconds> headroom;  // time - bound
};

// Share of the time that a bound must explain to be the verdict.
inline constexpr double explaining_share = 0.25;

// Whether the step only gives a tensor another name: no work, and no traffic.
bool is_alias(const StepResult& step);

// Nothing of an alias: it has no ceiling.
StepBound bound_of(const StepResult& step, Seconds time, const Device& device,
                   std::string_view dtype);

// What a run's products are computed in, as ceilings name it: its element type, or "tf32".
std::string arithmetic_of(const Settings& settings);

// One for each step of the run; unknown where the run has no ceilings or the step no time.
std::vector<StepBound> bounds_of(const Run& run);

// The ceilings that the run carries. Throws Error where they do not parse.
std::optional<Device> ceilings_of(const Run& run);

}  // namespace strata
