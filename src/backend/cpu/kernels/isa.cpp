// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/isa.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace strata::cpu {

namespace {

std::atomic<Isa> cap = Isa::avx512;

Isa isa_of_processor() {
    if (__builtin_cpu_supports("avx512f")) {
        return Isa::avx512;
    }
    if (__builtin_cpu_supports("avx2")) {
        return Isa::avx2;
    }
    if (__builtin_cpu_supports("avx")) {
        return Isa::avx;
    }
    return __builtin_cpu_supports("sse4.1") ? Isa::sse41 : Isa::baseline;
}

}  // namespace

std::string_view text_of(Isa isa) {
    constexpr std::array<std::string_view, 5> texts = {"x86-64", "SSE4.1", "AVX", "AVX2",
                                                       "AVX-512"};
    return texts[static_cast<std::size_t>(isa)];
}

Isa widest_isa() {
    static const Isa processor = isa_of_processor();
    return std::min(processor, cap.load());
}

void cap_isa(Isa widest) {
    cap = widest;
}

}  // namespace strata::cpu
