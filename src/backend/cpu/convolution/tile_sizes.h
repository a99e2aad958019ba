// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/isa.h"
#include "backend/cpu/kernels/small_gemm.h"

#include <cstddef>
#include <string_view>

namespace strata::cpu {

// The instruction set of products, as part of an implementation's name.
inline std::string_view product_isa() {
    const Isa isa = widest_isa();
    return isa == Isa::avx512 ? "avx512" : isa == Isa::avx2 ? "avx2" : "portable";
}

// The number of columns of a register tile; a panel with that many columns is [depth][columns].
inline std::size_t right_panel_columns() {
    return widest_isa() == Isa::avx512 ? panel_columns : 16;
}

// Rows of a left matrix that stay in the L2 cache, a multiple of the register tiles'.
inline constexpr std::size_t row_block = 48;

// The number of rows of such a panel that stay in the L1 cache.
inline std::size_t depth_block() {
    return widest_isa() == Isa::avx512 ? 128 : 256;
}

constexpr std::size_t quotient_up(std::size_t count, std::size_t step) {
    return (count + step - 1) / step;
}

}  // namespace strata::cpu
