// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

#include <string>
#include <vector>

namespace strata {

// The algorithms by which a run's convolution steps really ran, in the order in which they are met:
// "winograd", "fft", "direct". Empty where no convolution ran.
std::vector<std::string> ran_algorithms(const Run& run);

// What a title says of them beside what was asked for: "winograd", "winograd and direct",
// "direct instead of winograd", "auto (direct)". What was asked for where no convolution ran.
std::string algorithm_text(const Run& run);

// Why convolutions did not run as was asked; empty where all did, or where the choice was left to
// the library.
//   "Winograd was asked for, and 14 of 14 convolution steps ran direct: 5 are not what it is for
//   (3x3
//    kernels at stride 1 over 16 channels or more), and for 9 the library has no Winograd kernel on
//    this machine."
std::string algorithm_remark(const Run& run);

}  // namespace strata
