// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/bottleneck.h"
#include "op/problem.h"

#include <cstddef>
#include <optional>
#include <string>

namespace strata {

// The combined times of steps with the same bound: sums over the steps, and the longest step, which
// represents them if they differ.
struct StepEvidence {
    const StepResult* longest = nullptr;
    Seconds longest_time = {};
    bool are_alike = true;  // whether all have its implementation
    Bottleneck verdict = Bottleneck::unknown;
    std::string ceiling = {};  // of the longest step: "f32 peak"
    std::size_t steps = 0;
    Seconds time = {};
    Seconds compute = {};  // the time for arithmetic at its peak, for traffic at main
    Seconds memory = {};   // memory's bandwidth, and the larger bound of each step
    Seconds bound = {};
    std::optional<Seconds> fixed = {};  // as of StepBound; nothing if unknown
    Bytes traffic = {};

    // Requires: a step with a time.
    double achieved() const { return bound / time; }
};

// Adds a step with this time. `bound` is the result of bound_of.
void add(StepEvidence& evidence, const StepResult& step, const StepBound& bound, Seconds time);

// Why the steps take this long, with the evidence. A clause without a full stop; empty if the bound
// is unknown.
std::string reason_for(const StepEvidence& evidence);

// Whether the library runs reference code because it has no optimised kernel.
bool is_unoptimised(const StepResult& step);

// Whether Winograd's transform applies: a convolution with 3x3 kernels at stride 1 and enough
// channels for its tiles.
bool is_for_winograd(const StepResult& step);

// "18 %", "0.4 %", and "36.1 ms", in the format of sentences.
std::string percent(double share);
std::string duration(Seconds time);

// "a, b and c".
std::string enumerated(const std::vector<std::string>& texts);

// "32.0 ± 0.4 ms"; an unknown uncertainty is left out.
std::string duration(Seconds time, const std::optional<Seconds>& uncertainty);

}  // namespace strata
