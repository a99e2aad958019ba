// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/bottleneck.h"
#include "record/run.h"

#include <string>
#include <string_view>

namespace strata {

// Strata commands that show whether a change would help, quoted for a shell. Rules choose them from
// the run's backend, library and instruction set. Empty where nothing is known to help, or where
// the stored run cannot be repeated from a command line (a name that a shell cannot show).

// For one step:
//   a convolution short of its ceiling       strata algorithms alexnet --batch 32 --slice conv2
//   the same where only less work helps      strata run alexnet --batch 32 --algorithm
//                                            direct,winograd, where the library has it
//   arithmetic at its ceiling                strata run … --dtype f32,bf16, where the machine
//                                            multiplies bf16
//   weights wait for memory                  strata run alexnet --vary batch=32..128
//   traffic after a convolution on a GPU     strata run … --fuse off,on
//   reference code, for lack of a kernel     strata doctor, which lists newer libraries
//   else what no ceiling explains            strata run … --slice pool1 --cache warm: the layer
//                                            alone; on a GPU --counters default
//   a prediction                             strata predict … --device v100 --explain conv2
std::string command_for(const Run& run, const StepResult& step, const StepBound& bound);

// A kernel that reaches this share of its ceiling counts as good: only less work helps.
inline constexpr double good_share = 0.75;

// Whether Winograd's algorithm fits the step but was not used.
bool winograd_fits(const StepResult& step);

}  // namespace strata
