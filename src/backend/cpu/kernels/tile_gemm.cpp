// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/tile_gemm.h"

#include "base/error.h"
#include "measure/kernels/tiles.h"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace strata::cpu {

#if defined(__x86_64__)

namespace {

using Bf16 = std::uint16_t;

constexpr std::size_t tile_rows = 16;
constexpr std::size_t tile_depth = 32;
constexpr std::size_t block = 32;  // rows and columns of two tiles

// Rows whose elements of x stay in the L2 cache while the panels of w pass.
constexpr std::size_t group_rows = 256;

// 32 columns of w of this depth stay in the L1 cache while a group's rows pass: 24 KB.
constexpr std::size_t block_depth = 384;

// Tiles 0 to 3 are the sums of 2 x 2 tiles, 4 and 5 the rows of x, 6 and 7 the columns of w.
TileConfiguration tiles_for(std::size_t rows) {
    TileConfiguration tiles;
    const auto upper = static_cast<std::uint8_t>(std::min(rows, tile_rows));
    const auto lower = static_cast<std::uint8_t>(std::max(rows, tile_rows + 1) - tile_rows);
    tiles.rows = {upper, upper, lower, lower, upper, lower, tile_rows, tile_rows};
    return tiles;
}

// Part of a product: up to 32 rows, 32 columns.
struct Block {
    const Bf16* x = nullptr;
    std::size_t x_step = 0;  // elements between rows
    const Bf16* w = nullptr;
    std::size_t depth = 0;
    float* sums = nullptr;  // [32][32]
    bool adds = false;
};

constexpr std::ptrdiff_t sums_step = block * sizeof(float);

// The two upper sums, and if there are more than 16 rows the two lower ones.
template <bool has_lower>
[[gnu::target("amx-tile,amx-bf16")]] void multiply(const Block& block_of) {
    float* const lower = block_of.sums + tile_rows * block;
    if (block_of.adds) {
        _tile_loadd(0, block_of.sums, sums_step);
        _tile_loadd(1, block_of.sums + tile_rows, sums_step);
        if constexpr (has_lower) {
            _tile_loadd(2, lower, sums_step);
            _tile_loadd(3, lower + tile_rows, sums_step);
        }
    } else {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
    }
    const auto x_step = static_cast<std::ptrdiff_t>(block_of.x_step * sizeof(Bf16));
    constexpr std::ptrdiff_t w_step = 2 * panel_columns * sizeof(Bf16);
    for (std::size_t k = 0; k < block_of.depth; k += tile_depth) {
        const Bf16* const w = block_of.w + k * panel_columns;
        _tile_loadd(6, w, w_step);
        _tile_loadd(4, block_of.x + k, x_step);
        _tile_dpbf16ps(0, 4, 6);
        _tile_loadd(7, w + 2 * tile_rows, w_step);
        _tile_dpbf16ps(1, 4, 7);
        if constexpr (has_lower) {
            _tile_loadd(5, block_of.x + tile_rows * block_of.x_step + k, x_step);
            _tile_dpbf16ps(2, 5, 6);
            _tile_dpbf16ps(3, 5, 7);
        }
    }
    _tile_stored(0, block_of.sums, sums_step);
    _tile_stored(1, block_of.sums + tile_rows, sums_step);
    if constexpr (has_lower) {
        _tile_stored(2, lower, sums_step);
        _tile_stored(3, lower + tile_rows, sums_step);
    }
}

// Rounds sums of 32 columns to bf16, to nearest, ties to even.
[[gnu::target("avx512f,avx512bw,avx512bf16")]] void finish(std::size_t rows, const float* sums,
                                                           const Epilogue& epilogue,
                                                           std::size_t column, Bf16* y,
                                                           std::size_t y_step) {
    const __m512 zero = _mm512_setzero_ps();
    constexpr __mmask16 every_lane = 0xFFFF;  // without a mask gcc 12 warns of its own header
    const float* bias = epilogue.bias;
    const __m512 left = bias != nullptr ? _mm512_loadu_ps(bias + column) : zero;
    const __m512 right = bias != nullptr ? _mm512_loadu_ps(bias + column + tile_rows) : zero;
    for (std::size_t row = 0; row < rows; ++row, sums += block, y += y_step) {
        __m512 low = _mm512_add_ps(_mm512_load_ps(sums), left);
        __m512 high = _mm512_add_ps(_mm512_load_ps(sums + tile_rows), right);
        if (epilogue.relu == Relu::applied) {
            low = _mm512_maskz_max_ps(every_lane, low, zero);
            high = _mm512_maskz_max_ps(every_lane, high, zero);
        }
        const __m512bh both = _mm512_cvtne2ps_pbh(high, low);
        __builtin_memcpy(y, &both, sizeof both);
    }
}

// The product of a group of rows, which begins at `x`, and 32 columns.
void multiply_group(const TileGemm& product, std::size_t rows, const Bf16* x, const Bf16* w,
                    float* sums) {
    std::size_t configured = 0;
    for (std::size_t k = 0; k < product.depth; k += block_depth) {
        const std::size_t depth = std::min(block_depth, product.depth - k);
        for (std::size_t row = 0; row < rows; row += block) {
            const std::size_t count = std::min(block, rows - row);
            if (count != configured) {
                configure_tiles(tiles_for(count));
                configured = count;
            }
            const Block one = {x + row * product.depth + k, product.depth,
                               w + k * panel_columns,       depth,
                               sums + row * block,          k > 0};
            count > tile_rows ? multiply<true>(one) : multiply<false>(one);
        }
    }
}

[[gnu::target("amx-tile")]] void release_tiles() {
    _tile_release();
}

}  // namespace

// Threads take 32 columns of a group of rows each.
void tile_gemm(const TileGemm& product, const std::uint16_t* x, const std::uint16_t* panels,
               std::uint16_t* y, const Epilogue& epilogue) {
    const std::size_t strips = product.columns / block;
    const std::size_t groups = (product.rows + group_rows - 1) / group_rows;
#pragma omp parallel
    {
        alignas(64) float sums[group_rows * block];
#pragma omp for schedule(dynamic)
        for (std::size_t i = 0; i < groups * strips; ++i) {
            const std::size_t first = i / strips * group_rows;
            const std::size_t rows = std::min(group_rows, product.rows - first);
            const std::size_t column = i % strips * block;
            const std::size_t panel = column / panel_columns;
            const Bf16* w =
                panels + panel * panel_columns * product.depth + 2 * (column % panel_columns);
            multiply_group(product, rows, x + first * product.depth, w, sums);
            finish(rows, sums, epilogue, column, y + first * product.columns + column,
                   product.columns);
        }
        release_tiles();
    }
}

#else

void tile_gemm(const TileGemm&, const std::uint16_t*, const std::uint16_t*, std::uint16_t*,
               const Epilogue&) {
    check(false, "only x86 processors have tiles");
}

#endif

}  // namespace strata::cpu
