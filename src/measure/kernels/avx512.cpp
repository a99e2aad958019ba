// SPDX-License-Identifier: MIT
#if defined(__x86_64__)

#include "measure/kernels/vectors.h"

#include <immintrin.h>

namespace strata {
namespace {

// More than the eight or ten that hide the latency, so that a late one does not stall a port;
// together with the factors they fit in the 32 registers.
constexpr int sums_in_registers = 24;

constexpr std::size_t register_bytes = 64;

[[gnu::target("avx512f")]] void fma_f32(std::size_t rounds) {
    multiply_add<float, register_bytes, sums_in_registers>(rounds);
}

[[gnu::target("avx512f")]] void fma_f64(std::size_t rounds) {
    multiply_add<double, register_bytes, sums_in_registers>(rounds);
}

// Each instruction adds the products of 32 pairs of bfloat16 to 16 floats.
[[gnu::target("avx512f,avx512bf16")]] void dot_bf16(std::size_t rounds) {
    const auto factors = reinterpret_cast<__m512bh>(_mm512_set1_epi16(0x3F80));  // 1.0
    __m512 sums[sums_in_registers];
    for (auto& sum : sums) {
        sum = _mm512_setzero_ps();
    }
    for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 24
        for (auto& sum : sums) {
            sum = _mm512_dpbf16_ps(sum, factors, factors);
        }
    }
    keep(sums);
}

// Each instruction adds the products of 64 pairs of bytes to 16 integers.
[[gnu::target("avx512f,avx512vnni")]] void dot_s8(std::size_t rounds) {
    const __m512i factors = _mm512_set1_epi8(1);
    __m512i sums[sums_in_registers];
    for (auto& sum : sums) {
        sum = _mm512_setzero_si512();
    }
    for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 24
        for (auto& sum : sums) {
            sum = _mm512_dpbusd_epi32(sum, factors, factors);
        }
    }
    keep(sums);
}

[[gnu::target("avx512f")]] void read(std::span<float> memory, std::size_t passes) {
    read_memory<register_bytes>(memory, passes);
}

[[gnu::target("avx512f")]] void triad(std::span<float> memory, std::size_t passes) {
    run_triad<register_bytes>(memory, passes);
}

[[gnu::target("avx512f")]] void streaming(std::span<float> memory, std::size_t passes) {
    const std::size_t third = memory.size() / 3;
    float* const a = memory.data();
    const __m512 factor = _mm512_set1_ps(0.5F);
    for (std::size_t pass = 0; pass < passes; ++pass) {
        for (std::size_t i = 0; i < third; i += 64) {
#pragma GCC unroll 4
            for (std::size_t k = i; k < i + 64; k += 16) {
                const __m512 b = _mm512_load_ps(a + third + k);
                const __m512 c = _mm512_load_ps(a + 2 * third + k);
                _mm512_stream_ps(a + k, _mm512_fmadd_ps(c, factor, b));
            }
        }
        _mm_sfence();
        keep(memory);
    }
}

}  // namespace

std::vector<ComputeKernel> compute_kernels_avx512() {
    constexpr double sums = sums_in_registers;
    return {{"f32", "AVX-512 FMA, 24 accumulators", "avx512f", 2 * 16 * sums, fma_f32},
            {"f64", "AVX-512 FMA, 24 accumulators", "avx512f", 2 * 8 * sums, fma_f64},
            {"bf16", "AVX-512 VDPBF16PS", "avx512f avx512_bf16", 2 * 32 * sums, dot_bf16},
            {"s8", "AVX-512 VPDPBUSD", "avx512f avx512_vnni", 2 * 64 * sums, dot_s8}};
}

std::vector<MemoryKernel> memory_kernels_avx512() {
    return {{MemoryPattern::read, "AVX-512 read", "avx512f", read},
            {MemoryPattern::triad, "AVX-512 triad", "avx512f", triad},
            {MemoryPattern::streaming, "AVX-512 triad, non-temporal stores", "avx512f", streaming}};
}

}  // namespace strata

#endif
