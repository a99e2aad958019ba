// SPDX-License-Identifier: MIT
#pragma once

#include "measure/kernels/kernels.h"

// The loops of each vector instruction set, for registers of `bytes`. They are inlined into
// functions that may use its instructions.
namespace strata {

template <class Number, std::size_t bytes>
struct Register {
    typedef Number Vector [[gnu::vector_size(bytes), gnu::may_alias]];  // NOLINT: of the attribute
};

// Each round multiplies and adds once for each of `count` sums.
template <class Number, std::size_t bytes, std::size_t count>
[[gnu::always_inline]] inline void multiply_add(std::size_t rounds) {
    using Vector = typename Register<Number, bytes>::Vector;
    const Vector one = Vector{} + Number{1};
    const Vector factor = one / Number{2};
    Vector sums[count];
    for (Vector& sum : sums) {
        sum = one;
    }
    for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 24
        for (Vector& sum : sums) {
            sum = sum * factor + one;
        }
    }
    keep(sums);
}

template <std::size_t bytes>
[[gnu::always_inline]] inline void read_memory(std::span<float> memory, std::size_t passes) {
    using Vector = typename Register<int, bytes>::Vector;
    constexpr std::size_t each = bytes / sizeof(float), count = 8;
    Vector bits[count] = {};
    for (std::size_t pass = 0; pass < passes; ++pass) {
        for (std::size_t i = 0; i < memory.size(); i += count * each) {
#pragma GCC unroll 8
            for (std::size_t k = 0; k < count; ++k) {
                bits[k] |= *reinterpret_cast<const Vector*>(&memory[i + each * k]);
            }
        }
        keep(bits);
    }
}

// a = b + factor * c over thirds of the memory.
template <std::size_t bytes>
[[gnu::always_inline]] inline void run_triad(std::span<float> memory, std::size_t passes) {
    using Vector = typename Register<float, bytes>::Vector;
    constexpr std::size_t each = bytes / sizeof(float), count = 4;
    const std::size_t third = memory.size() / 3;
    float* const a = memory.data();
    const Vector factor = Vector{} + 0.5F;
    for (std::size_t pass = 0; pass < passes; ++pass) {
        for (std::size_t i = 0; i < third; i += count * each) {
#pragma GCC unroll 4
            for (std::size_t k = i; k < i + count * each; k += each) {
                const Vector b = *reinterpret_cast<const Vector*>(a + third + k);
                const Vector c = *reinterpret_cast<const Vector*>(a + 2 * third + k);
                *reinterpret_cast<Vector*>(a + k) = c * factor + b;
            }
        }
        keep(memory);
    }
}

}  // namespace strata
