// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/small_gemm.h"

#include <cstddef>
#include <cstdint>

namespace strata::cpu {

// y[rows, columns] = x[rows, depth] w in bf16 with sums in f32, on AMX tiles and OpenMP's threads.
// w is stored in panels [depth / 2][64][2] of 64 columns each; x and y are dense.
struct TileGemm {
    std::size_t rows = 0;
    std::size_t columns = 0;  // a multiple of 64
    std::size_t depth = 0;    // a multiple of 32
};
// Requires: the processor's tiles, which this process may use.
void tile_gemm(const TileGemm& product, const std::uint16_t* x, const std::uint16_t* panels,
               std::uint16_t* y, const Epilogue& epilogue);

}  // namespace strata::cpu
