// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/bottleneck.h"

#include <string>

namespace strata {

// Why a step takes as long as it does, with the evidence, and what would help. A clause without a
// full stop; empty where the bound is unknown. `bound` is the result of bound_of.
std::string advice_on(const StepResult& step, const StepBound& bound, Seconds time);

// Whether the library runs reference code because it has no optimised kernel ("ref:any",
// "bnorm_ref:any").
bool is_unoptimised(const StepResult& step);

// Whether Winograd's transform applies: a convolution with 3x3 kernels at stride 1 and enough
// channels for its tiles.
bool is_for_winograd(const StepResult& step);

// "18 %", "0.4 %", and "36.1 ms", as sentences write them.
std::string percent(double share);
std::string duration(Seconds time);

}  // namespace strata
