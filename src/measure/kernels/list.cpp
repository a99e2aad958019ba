// SPDX-License-Identifier: MIT
#include "measure/kernels/kernels.h"

namespace strata {
namespace {

template <class Kernel>
void append(std::vector<Kernel>& all, const std::vector<Kernel>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

std::vector<ComputeKernel> compute_kernels() {
    std::vector<ComputeKernel> all = compute_kernels_portable();
#if defined(__x86_64__)
    append(all, compute_kernels_avx2());
    append(all, compute_kernels_avx512());
    append(all, compute_kernels_amx());
#endif
    return all;
}

std::vector<MemoryKernel> memory_kernels() {
    std::vector<MemoryKernel> all = memory_kernels_portable();
#if defined(__x86_64__)
    append(all, memory_kernels_avx2());
    append(all, memory_kernels_avx512());
#endif
    return all;
}

}  // namespace strata
