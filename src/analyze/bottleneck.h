// SPDX-License-Identifier: MIT
#pragma once

#include "base/enumeration.h"
#include "device/device.h"
#include "graph/execution.h"
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
    overhead,  // of a GPU: launches, stamps, waits; elsewhere what none of these explains
    kernel,    // of a GPU: none of these explains it, so the kernel itself is slow
    unknown,   // not measured, measured only with delays, no work, or no ceilings
};
inline constexpr std::array<std::string_view, 6> names_of(Bottleneck) {
    return {"compute", "memory", "cache", "overhead", "kernel", "unknown"};
}

// A step and its machine's ceilings (the roofline of Williams et al. 2009, in times):
// clang-format off
//   compute = flops / peak(dtype)           the update is always in f32; of Winograd's algorithms
//                                           only the multiply-adds that their products execute
//   memory  = traffic / bandwidth(DRAM)     traffic: each operand read and each result written once
//   cache   = traffic / bandwidth(level)    the nearest level that holds the traffic, else the last
//   fixed   = stamps + kernels * launch     on a GPU; the number of kernels by a trace, else 1;
//                                           of a modelled step its launches and waits for the host
// clang-format on
// If time < memory, main memory cannot have served the step, and the cache's bound replaces
// memory's. The larger of the two bounds decides if it explains a quarter of the time or more. If
// `fixed` explains as much, and more than they do, the bottleneck is overhead. If nothing explains
// a quarter, it is the kernel, or, if `fixed` is unknown, overhead.
//
// A convolution that is faster than its operations at the peak executes fewer. If its algorithm
// does not tell how many, it has no bound.
struct StepBound {
    Bottleneck verdict = Bottleneck::unknown;
    std::string ceiling;          // "f32 peak", "DRAM bandwidth", "L2 bandwidth"
    bool executes_fewer = false;  // operations than counted, and nobody tells how many
    std::optional<Seconds> compute;
    std::optional<Seconds> by_definition;  // compute, with all operations of the definition
    std::optional<Seconds> memory;
    std::optional<Seconds> fixed;
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

// A convolution's algorithm, without the reason that may follow it; nothing if it is not told.
std::optional<ConvolutionAlgorithm> algorithm_of(const StepResult& step);

// Whether the step is a convolution whose algorithm executes fewer operations than its definition;
// nothing if it is a convolution whose algorithm is not told.
std::optional<bool> saves_arithmetic(const StepResult& step);

// Measurements repeat that well; a step this much above a ceiling is above it.
inline constexpr double tolerated_excess = 0.03;

// The bound of one step; empty for an alias, which has no ceiling. `fixed`: as above; nothing if it
// is unknown.
StepBound bound_of(const StepResult& step, Seconds time, const Device& device,
                   std::string_view dtype, std::optional<Seconds> fixed = {});

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
