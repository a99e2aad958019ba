// SPDX-License-Identifier: MIT
#if defined(__x86_64__)

#include "measure/kernels/vectors.h"

#include <immintrin.h>

namespace strata {
namespace {

// Two multiply-adds start per cycle and take four or five: ten sums hide that, and together with
// their two factors they fit in the sixteen registers.
constexpr int sums_in_registers = 12;

constexpr std::size_t register_bytes = 32;

[[gnu::target("avx2,fma")]] void fma_f32(std::size_t rounds) {
    multiply_add<float, register_bytes, sums_in_registers>(rounds);
}

[[gnu::target("avx2,fma")]] void fma_f64(std::size_t rounds) {
    multiply_add<double, register_bytes, sums_in_registers>(rounds);
}

[[gnu::target("avx2")]] void read(std::span<float> memory, std::size_t passes) {
    read_memory<register_bytes>(memory, passes);
}

[[gnu::target("avx2,fma")]] void triad(std::span<float> memory, std::size_t passes) {
    run_triad<register_bytes>(memory, passes);
}

[[gnu::target("avx2,fma")]] void streaming(std::span<float> memory, std::size_t passes) {
    const std::size_t third = memory.size() / 3;
    float* const a = memory.data();
    const __m256 factor = _mm256_set1_ps(0.5F);
    for (std::size_t pass = 0; pass < passes; ++pass) {
        for (std::size_t i = 0; i < third; i += 32) {
#pragma GCC unroll 4
            for (std::size_t k = i; k < i + 32; k += 8) {
                const __m256 b = _mm256_load_ps(a + third + k);
                const __m256 c = _mm256_load_ps(a + 2 * third + k);
                _mm256_stream_ps(a + k, _mm256_fmadd_ps(c, factor, b));
            }
        }
        _mm_sfence();
        keep(memory);
    }
}

}  // namespace

std::vector<ComputeKernel> compute_kernels_avx2() {
    constexpr double f32 = 2 * 8 * sums_in_registers;
    constexpr double f64 = 2 * 4 * sums_in_registers;
    return {{"f32", "AVX2 FMA, 12 accumulators", "avx2 fma", f32, fma_f32},
            {"f64", "AVX2 FMA, 12 accumulators", "avx2 fma", f64, fma_f64}};
}

std::vector<MemoryKernel> memory_kernels_avx2() {
    return {{MemoryPattern::read, "AVX2 read", "avx2", read},
            {MemoryPattern::triad, "AVX2 triad", "avx2 fma", triad},
            {MemoryPattern::streaming, "AVX2 triad, non-temporal stores", "avx2 fma", streaming}};
}

}  // namespace strata

#endif
