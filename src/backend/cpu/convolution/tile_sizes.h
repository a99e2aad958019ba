// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/isa.h"
#include "backend/cpu/kernels/small_gemm.h"

#include <cstddef>
#include <string_view>

namespace strata::cpu {

// The name of what products are compiled for, in an implementation's name.
inline std::string_view product_isa() {
    const Isa isa = widest_isa();
    return isa == Isa::avx512 ? "avx512" : isa == Isa::avx2 ? "avx2" : "portable";
}

// As many columns of a right matrix as register tiles have; a panel of as many is [depth][columns].
inline std::size_t right_panel_columns() {
    return widest_isa() == Isa::avx512 ? panel_columns : 16;
}

// Rows of a left matrix that stay in the L2 cache, a multiple of the register tiles'.
inline constexpr std::size_t row_block = 48;

// As many rows of such a panel stay in the L1 cache.
inline std::size_t depth_block() {
    return widest_isa() == Isa::avx512 ? 128 : 256;
}

constexpr std::size_t quotient_up(std::size_t count, std::size_t step) {
    return (count + step - 1) / step;
}

}  // namespace strata::cpu
