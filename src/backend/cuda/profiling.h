// SPDX-License-Identifier: MIT
#pragma once

#include "backend/profiling.h"

#include <memory>
#include <string>

namespace strata::cuda {

class CudaExecutable;

// By CUPTI; nothing where strata was built without it. Requires: the executable outlives it.
std::unique_ptr<Profiling> make_profiling(CudaExecutable& executable);

// Why counters of the current device cannot be read; empty where they can.
std::string counting_refusal();

}  // namespace strata::cuda
