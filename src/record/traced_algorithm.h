// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

namespace strata {

// A library may keep the algorithm of a convolution to itself, while its kernels' names tell it.
// Fills in the algorithms that are missing of a traced run's convolutions, with that evidence:
// "winograd-4x4-3x3, by its kernels' names", "fft, by its kernels' names". Others stay unknown.
void add_traced_algorithms(Run& run);

// Whether the step's algorithm was filled in so.
bool is_of_trace(const StepResult& step);

}  // namespace strata
