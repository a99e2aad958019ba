// SPDX-License-Identifier: MIT
#if defined(__x86_64__)

#include "measure/kernels/kernels.h"

#include <immintrin.h>

namespace strata {
namespace {

// Two multiply-adds start per cycle and take four or five: ten sums hide that, and together with
// their two factors they fit in the sixteen registers.
constexpr int sums_in_registers = 12;

[[gnu::target("avx2,fma")]] void fma_f32(std::size_t rounds) {
    const __m256 factor = _mm256_set1_ps(0.5F);
    const __m256 one = _mm256_set1_ps(1);
    __m256 sums[sums_in_registers];
    for (auto& sum : sums) {
        sum = one;
    }
    for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
        for (auto& sum : sums) {
            sum = _mm256_fmadd_ps(sum, factor, one);
        }
    }
    keep(sums);
}

[[gnu::target("avx2,fma")]] void fma_f64(std::size_t rounds) {
    const __m256d factor = _mm256_set1_pd(0.5);
    const __m256d one = _mm256_set1_pd(1);
    __m256d sums[sums_in_registers];
    for (auto& sum : sums) {
        sum = one;
    }
    for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
        for (auto& sum : sums) {
            sum = _mm256_fmadd_pd(sum, factor, one);
        }
    }
    keep(sums);
}

[[gnu::target("avx2")]] void read(std::span<float> memory, std::size_t passes) {
    __m256 bits[8];
    for (auto& part : bits) {
        part = _mm256_setzero_ps();
    }
    for (std::size_t pass = 0; pass < passes; ++pass) {
        for (std::size_t i = 0; i < memory.size(); i += 64) {
#pragma GCC unroll 8
            for (std::size_t k = 0; k < 8; ++k) {
                bits[k] = _mm256_or_ps(bits[k], _mm256_load_ps(&memory[i + 8 * k]));
            }
        }
        keep(bits);
    }
}

[[gnu::target("avx2,fma")]] void triad(std::span<float> memory, std::size_t passes) {
    const std::size_t third = memory.size() / 3;
    float* const a = memory.data();
    const __m256 factor = _mm256_set1_ps(0.5F);
    for (std::size_t pass = 0; pass < passes; ++pass) {
        for (std::size_t i = 0; i < third; i += 32) {
#pragma GCC unroll 4
            for (std::size_t k = i; k < i + 32; k += 8) {
                const __m256 b = _mm256_load_ps(a + third + k);
                const __m256 c = _mm256_load_ps(a + 2 * third + k);
                _mm256_store_ps(a + k, _mm256_fmadd_ps(c, factor, b));
            }
        }
        keep(memory);
    }
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
