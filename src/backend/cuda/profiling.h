// SPDX-License-Identifier: MIT
#pragma once

#include "backend/profiling.h"

#include <memory>
#include <string>

namespace strata::cuda {

class CudaExecutable;

// Uses CUPTI; null if strata was built without it. Requires: the executable outlives the result.
std::unique_ptr<Profiling> make_profiling(CudaExecutable& executable);

// Why counters of the current device cannot be read; empty if they can.
std::string counting_refusal();

}  // namespace strata::cuda
