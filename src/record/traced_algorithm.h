// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

namespace strata {

// A library may keep the algorithm of a convolution to itself, or the tile of Winograd's, while its
// kernels' names tell it. Fills in what is missing of a traced run's convolutions, with that
// evidence: "winograd-4x4-3x3, by its kernels' names", "fft, by its kernels' names". The rest stays
// unknown.
void add_traced_algorithms(Run& run);

// Whether the step's algorithm was filled in so.
bool is_of_trace(const StepResult& step);

}  // namespace strata
