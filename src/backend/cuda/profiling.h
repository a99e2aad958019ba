// SPDX-License-Identifier: MIT
#pragma once

#include "backend/profiling.h"

#include <memory>

namespace strata::cuda {

class CudaExecutable;

// By CUPTI; nothing where strata was built without it. Requires: the executable outlives it.
std::unique_ptr<Profiling> make_profiling(CudaExecutable& executable);

}  // namespace strata::cuda
