// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/bottleneck.h"
#include "op/problem.h"

#include <cstddef>
#include <optional>
#include <string>

namespace strata {

// What the times of steps that are bound alike say together: sums over the steps, and the one that
// takes longest, which stands for them where they differ.
struct StepEvidence {
    const StepResult* longest = nullptr;
    Seconds longest_time = {};
    Bottleneck verdict = Bottleneck::unknown;
    std::string ceiling = {};  // of the longest: "f32 peak"
    std::size_t steps = 0;
    Seconds time = {};
    Seconds compute = {};  // what arithmetic would take at its peak, traffic at main memory's
    Seconds memory = {};   // bandwidth, and the larger ceiling of each
    Seconds bound = {};
    Bytes traffic = {};

    // Requires: a step with a time.
    double achieved() const { return bound / time; }
};

// Adds a step that took this time. `bound` is the result of bound_of.
void add(StepEvidence& evidence, const StepResult& step, const StepBound& bound, Seconds time);

// Why the steps take as long as they do, with the evidence. A clause without a full stop; empty
// where the bound is unknown.
std::string reason_for(const StepEvidence& evidence);

// The layer's operator with its attributes; nothing where the run does not carry them as this
// version reads them.
std::optional<Problem> problem_in(const StepResult& step);

// Whether the library runs reference code because it has no optimised kernel ("ref:any",
// "bnorm_ref:any").
bool is_unoptimised(const StepResult& step);

// Whether Winograd's transform applies: a convolution with 3x3 kernels at stride 1 and enough
// channels for its tiles.
bool is_for_winograd(const StepResult& step);

// "18 %", "0.4 %", and "36.1 ms", as sentences write them.
std::string percent(double share);
std::string duration(Seconds time);

// "32.0 ± 0.4 ms"; nothing is said of an uncertainty that is not known.
std::string duration(Seconds time, const std::optional<Seconds>& uncertainty);

}  // namespace strata
