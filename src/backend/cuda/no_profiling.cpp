// SPDX-License-Identifier: MIT
#include "backend/cuda/profiling.h"

namespace strata::cuda {

std::unique_ptr<Profiling> make_profiling(CudaExecutable&) {
    return nullptr;
}

}  // namespace strata::cuda
