// SPDX-License-Identifier: MIT
#pragma once

namespace strata::cuda {

// Adds to a sum that other threads may also be adding to; on the host there is only one thread.
__host__ __device__ inline void add_to(float* sum, float value) {
#ifdef __CUDA_ARCH__
    atomicAdd(sum, value);
#else
    *sum += value;
#endif
}

}  // namespace strata::cuda
