// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

#include <string>
#include <vector>

namespace strata {

// The family of an algorithm by its name, or by the special properties of a GPU's plan: "winograd"
// for "tensor cores, winograd"; otherwise "direct".
std::string algorithm_family(const std::string& text);

// The algorithms that a run's convolution steps say they used, in order of appearance: "winograd",
// "fft", "direct".
std::vector<std::string> ran_algorithms(const Run& run);

// A title's text for them against the request: "winograd", "winograd and direct", "direct instead
// of winograd", "auto (direct)"; "auto (fft and others)" if some do not say it. The request if none
// ran or says it; nothing for an imported run, whose tool reports no algorithms.
std::string algorithm_text(const Run& run);

// Why convolutions and linear layers did not run as requested; empty if all did or the library had
// the choice.
//   "Winograd was requested, but 14 of 14 convolution steps ran direct: 5 are unsuited to it (it
//    needs 3x3 kernels at stride 1 and at least 16 channels), and the library has no Winograd
//    kernel on this machine for 9."
//   "6 steps did not run by the requested algorithm: 4 of fft: stride 2: it needs
//    stride 1; 2 of fft (user): ..."
std::string algorithm_remark(const Run& run);

}  // namespace strata
