// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/pack_weights.h"

#include "backend/cpu/kernels/small_gemm.h"
#include "base/error.h"

#include <array>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace strata::cpu {

#if defined(__x86_64__)

namespace {

constexpr std::size_t lanes = 16;

// Sixteen pairs of bf16.
typedef std::uint32_t Pairs __attribute__((vector_size(64)));
using Words [[gnu::vector_size(64)]] = std::uint16_t;

[[gnu::target("avx512f,avx512bw,avx512bf16")]] inline void store_pairs(std::uint16_t* to,
                                                                       const Pairs& pairs) {
    __builtin_memcpy(to, &pairs, sizeof pairs);
}

// Thirty-two numbers, rounded to nearest, in their order.
[[gnu::target("avx512f,avx512bw,avx512bf16")]] inline Pairs narrowed(const float* low,
                                                                     const float* high) {
    const __m512bh both = _mm512_cvtne2ps_pbh(_mm512_loadu_ps(high), _mm512_loadu_ps(low));
    Pairs pairs;
    __builtin_memcpy(&pairs, &both, sizeof pairs);
    return pairs;
}

// The first sixteen numbers each followed by one of the other sixteen.
template <std::size_t... lane>
[[gnu::target("avx512f,avx512bw")]] inline Pairs interleaved(const Pairs& halves,
                                                             std::index_sequence<lane...>) {
    Words words;
    __builtin_memcpy(&words, &halves, sizeof words);
    words = __builtin_shufflevector(words, words, (lane / 2 + lane % 2 * lanes)...);
    Pairs pairs;
    __builtin_memcpy(&pairs, &words, sizeof pairs);
    return pairs;
}

// One step of a transposition: swaps squares of `size` by `size` pairs.
template <std::size_t size, std::size_t... lane>
[[gnu::target("avx512f")]] inline void swap_squares(Pairs& upper, Pairs& lower,
                                                    std::index_sequence<lane...>) {
    const Pairs above =
        __builtin_shufflevector(upper, lower, ((lane & size) != 0 ? lanes + lane - size : lane)...);
    lower =
        __builtin_shufflevector(upper, lower, ((lane & size) != 0 ? lanes + lane : lane + size)...);
    upper = above;
}

template <std::size_t size>
[[gnu::target("avx512f")]] inline void transpose_by(std::array<Pairs, lanes>& rows) {
#pragma GCC unroll 16
    for (std::size_t row = 0; row < lanes; ++row) {
        if ((row & size) == 0) {
            swap_squares<size>(rows[row], rows[row + size], std::make_index_sequence<lanes>());
        }
    }
}

[[gnu::target("avx512f")]] inline void transpose(std::array<Pairs, lanes>& rows) {
    transpose_by<1>(rows);
    transpose_by<2>(rows);
    transpose_by<4>(rows);
    transpose_by<8>(rows);
}

// 64 outputs of two inputs.
[[gnu::target("avx512f,avx512bw,avx512bf16")]] void pack_two_inputs(const float* from,
                                                                    std::uint16_t* to) {
    for (std::size_t j = 0; j < panel_columns; j += lanes) {
        store_pairs(to + 2 * j, interleaved(narrowed(from + j, from + panel_columns + j),
                                            std::make_index_sequence<2 * lanes>()));
    }
}

// 32 outputs of sixteen inputs; results of two outputs are `step` elements apart.
[[gnu::target("avx512f,avx512bw,avx512bf16")]] void pack_square(const float* from,
                                                                std::uint16_t* to,
                                                                std::size_t step) {
    std::array<Pairs, lanes> rows;
    for (std::size_t k = 0; k < lanes; ++k) {
        rows[k] = narrowed(from + k * panel_columns, from + k * panel_columns + lanes);
    }
    transpose(rows);
    for (std::size_t pair = 0; pair < lanes; ++pair) {
        store_pairs(to + pair * step, rows[pair]);
    }
}

}  // namespace

void pack_weights(const float* weights, std::uint16_t* panels, const PanelExtents& extents) {
    const std::size_t pairs = extents.outputs / panel_columns * (extents.inputs / 2);
#pragma omp parallel for schedule(static)
    for (std::size_t pair = 0; pair < pairs; ++pair) {
        pack_two_inputs(weights + pair * 2 * panel_columns, panels + pair * 2 * panel_columns);
    }
}

// A thread writes whole panels: 64 inputs of all outputs.
void pack_transposed_weights(const float* weights, std::uint16_t* panels,
                             const PanelExtents& extents) {
    constexpr std::size_t step = 2 * panel_columns;
    const std::size_t count = extents.inputs / panel_columns;
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < count * (extents.outputs / panel_columns); ++i) {
        const std::size_t panel = i / (extents.outputs / panel_columns);
        const std::size_t output = i % (extents.outputs / panel_columns) * panel_columns;
        const float* from =
            weights + output * extents.inputs + panel * panel_columns * panel_columns;
        std::uint16_t* to = panels + (panel * extents.outputs + output) * panel_columns;
        for (std::size_t k = 0; k < panel_columns; k += lanes) {
            for (std::size_t half = 0; half < panel_columns; half += 2 * lanes) {
                pack_square(from + k * panel_columns + half, to + half / 2 * step + 2 * k, step);
            }
        }
    }
}

#else

void pack_weights(const float*, std::uint16_t*, const PanelExtents&) {
    check(false, "only x86 processors have AVX512_BF16");
}

void pack_transposed_weights(const float*, std::uint16_t*, const PanelExtents&) {
    check(false, "only x86 processors have AVX512_BF16");
}

#endif

}  // namespace strata::cpu
