// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

#include <string>
#include <vector>

namespace strata {

// The family of an algorithm by its name, or by the properties of a GPU's plan, which name what is
// special: "winograd" of "tensor cores, winograd"; otherwise "direct".
std::string algorithm_family(const std::string& text);

// The algorithms by which a run's convolution steps really ran, in the order in which they are met:
// "winograd", "fft", "direct". Empty where no convolution ran.
std::vector<std::string> ran_algorithms(const Run& run);

// What a title says of them beside what was requested: "winograd", "winograd and direct", "direct
// instead of winograd", "auto (direct)". What was requested where no convolution ran; nothing of an
// imported run, whose tool tells no algorithms.
std::string algorithm_text(const Run& run);

// Why convolutions and linear layers did not run as requested; empty where all did, or where the
// library had the choice.
//   "Winograd was requested, but 14 of 14 convolution steps ran direct: 5 are unsuited to it (it
//    needs 3x3 kernels at stride 1 and at least 16 channels), and the library has no Winograd
//    kernel on this machine for 9."
//   "6 steps did not run by the algorithm asked for: 4 of fft: stride 2: it needs
//    stride 1; 2 of fft (user): ..."
std::string algorithm_remark(const Run& run);

}  // namespace strata
