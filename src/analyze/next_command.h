// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/bottleneck.h"
#include "record/run.h"

#include <string>
#include <string_view>

namespace strata {

// Commands of strata that show whether something would help, each as a shell takes it. They are
// chosen by rule from what the run itself says of its backend, library and instruction set, and
// empty where nothing is known to help, or where the run cannot be asked for again from what is
// stored of it (a name that no command line holds).

// For one step:
//   a convolution short of its ceiling       strata algorithms alexnet --batch 32 --slice conv2
//   the same where only less work helps      strata run alexnet --batch 32 --algorithm
//                                            direct,winograd, where the library has it
//   arithmetic at its ceiling                strata run … --dtype f32,bf16, where the machine
//                                            multiplies bf16
//   weights wait for memory                  strata run alexnet --vary batch=32..128
//   traffic after a convolution on a GPU     strata run … --fuse off,on
//   reference code, for want of a kernel     strata doctor, which tells of newer libraries
//   else what no ceiling explains            strata run … --slice pool1 --cache warm: the layer
//                                            alone; on a GPU --counters default
std::string command_for(const Run& run, const StepResult& step, const StepBound& bound);

// From this share of its ceiling on a kernel counts as good, and only less work helps.
inline constexpr double good_share = 0.75;

// Whether Winograd's algorithm fits the step and did not do it.
bool winograd_fits(const StepResult& step);

}  // namespace strata
