// SPDX-License-Identifier: MIT
#include "backend/cuda/profiling.h"

namespace strata::cuda {

std::unique_ptr<Profiling> make_profiling(CudaExecutable&) {
    return nullptr;
}

std::string counting_refusal() {
    return "strata was built without CUPTI, so it neither records kernels nor counts";
}

}  // namespace strata::cuda
