// SPDX-License-Identifier: MIT
#include "measure/kernels/kernels.h"

#include <array>

namespace strata {
namespace {

// Loops for any processor, which the compiler may vectorise as it likes.
template <class T>
void multiply_add(std::size_t rounds) {
    std::array<T, 64> sums{};
    for (std::size_t round = 0; round < rounds; ++round) {
#pragma omp simd
        for (std::size_t i = 0; i < 64; ++i) {
            sums[i] = sums[i] * T{0.5} + T{1};
        }
    }
    keep(sums);
}

void read(std::span<float> memory, std::size_t passes) {
    for (std::size_t pass = 0; pass < passes; ++pass) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (std::size_t i = 0; i < memory.size(); ++i) {
            sum += memory[i];
        }
        keep(sum);
    }
}

void triad(std::span<float> memory, std::size_t passes) {
    const std::size_t third = memory.size() / 3;
    float* const a = memory.data();
    const float* const b = a + third;
    const float* const c = b + third;
    for (std::size_t pass = 0; pass < passes; ++pass) {
#pragma omp simd
        for (std::size_t i = 0; i < third; ++i) {
            a[i] = b[i] + 0.5F * c[i];
        }
        keep(memory);
    }
}

}  // namespace

std::vector<ComputeKernel> compute_kernels_portable() {
    return {{"f32", "portable multiply-add", "", 2 * 64, multiply_add<float>},
            {"f64", "portable multiply-add", "", 2 * 64, multiply_add<double>}};
}

std::vector<MemoryKernel> memory_kernels_portable() {
    return {{MemoryPattern::read, "portable read", "", read},
            {MemoryPattern::triad, "portable triad", "", triad}};
}

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
