// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/bottleneck.h"

#include <string>

namespace strata {

// Why a step takes its time, with the evidence, and what would help; half a sentence, without a
// full stop, and empty where nothing bounds it that is known. `bound` is what bound_of said of it.
std::string advice_on(const StepResult& step, const StepBound& bound, Seconds time);

// Whether the library runs its reference code, for want of an optimised kernel ("ref:any").
bool is_unoptimised(const StepResult& step);

// Whether Winograd's transform is for it: a convolution of 3x3 kernels at stride 1, over as many
// channels as its tiles need.
bool is_for_winograd(const StepResult& step);

// "18 %", "0.4 %", and "36.1 ms", as sentences write them.
std::string percent(double share);
std::string duration(Seconds time);

}  // namespace strata
