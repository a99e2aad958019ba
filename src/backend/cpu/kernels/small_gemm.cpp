// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/small_gemm.h"

#include "backend/cpu/kernels/isa.h"

#include <algorithm>
#include <array>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace strata::cpu {

namespace {

// A tile of the result that stays in registers during the loop over the depth.
struct Tile {
    std::size_t depth = 0;
    LeftMatrix a;
    RightMatrix b;
    ResultMatrix c;
    bool adds = false;
    const float* next = nullptr;  // data to prefetch: one line for each k
};

constexpr std::size_t tile_rows = 6;
constexpr std::size_t lanes = 16;
constexpr std::size_t avx2_lanes = 8;
constexpr std::size_t avx2_columns = 16;

// Without AVX-512: row by row, vectorised by the compiler.
STRATA_EACH_ISA void portable_tile(const Tile& tile, std::size_t rows, std::size_t columns) {
    for (std::size_t i = 0; i < rows; ++i) {
        float sums[panel_columns] = {};
        const float* left = tile.a.data + static_cast<std::ptrdiff_t>(i) * tile.a.row;
        const float* right = tile.b.data;
        for (std::size_t k = 0; k < tile.depth; ++k) {
            for (std::size_t j = 0; j < columns; ++j) {
                sums[j] += *left * right[j];
            }
            left += tile.a.depth;
            right += tile.b.row;
        }
        float* out = tile.c.data + static_cast<std::ptrdiff_t>(i) * tile.c.row;
        for (std::size_t j = 0; j < columns; ++j) {
            out[j] = tile.adds ? out[j] + sums[j] : sums[j];
        }
    }
}

using TileKernel = void (*)(const Tile&);

#if defined(__x86_64__)

// 6 x 4 sums, 4 elements of b and one of a occupy 29 of the 32 registers.
template <bool fetches, std::size_t rows, std::size_t vectors>
[[gnu::target("avx512f")]] void register_tile(const Tile& tile) {
    __m512 sums[rows][vectors];
#pragma GCC unroll 6
    for (auto& row : sums) {
#pragma GCC unroll 4
        for (auto& sum : row) {
            sum = _mm512_setzero_ps();
        }
    }
    const float* left = tile.a.data;
    const float* right = tile.b.data;
    for (std::size_t k = 0; k < tile.depth; ++k) {
        __m512 b[vectors];
#pragma GCC unroll 4
        for (std::size_t j = 0; j < vectors; ++j) {
            b[j] = _mm512_loadu_ps(right + lanes * j);
        }
        if constexpr (fetches) {
            _mm_prefetch(reinterpret_cast<const char*>(tile.next + lanes * k), _MM_HINT_T1);
        }
#pragma GCC unroll 6
        for (std::size_t i = 0; i < rows; ++i) {
            const __m512 a = _mm512_set1_ps(left[static_cast<std::ptrdiff_t>(i) * tile.a.row]);
#pragma GCC unroll 4
            for (std::size_t j = 0; j < vectors; ++j) {
                sums[i][j] = _mm512_fmadd_ps(a, b[j], sums[i][j]);
            }
        }
        left += tile.a.depth;
        right += tile.b.row;
    }
#pragma GCC unroll 6
    for (std::size_t i = 0; i < rows; ++i) {
#pragma GCC unroll 4
        for (std::size_t j = 0; j < vectors; ++j) {
            float* out = tile.c.data + static_cast<std::ptrdiff_t>(i) * tile.c.row + lanes * j;
            const __m512 before = tile.adds ? _mm512_loadu_ps(out) : _mm512_setzero_ps();
            _mm512_storeu_ps(out, _mm512_add_ps(before, sums[i][j]));
        }
    }
}

template <bool fetches, std::size_t rows, std::size_t... vectors>
constexpr std::array<TileKernel, sizeof...(vectors)> tiles_of(std::index_sequence<vectors...>) {
    return {register_tile<fetches, rows, vectors + 1>...};
}

template <bool fetches, std::size_t... rows>
constexpr auto all_tiles(std::index_sequence<rows...>) {
    return std::array{tiles_of<fetches, rows + 1>(std::make_index_sequence<4>())...};
}

// 6 x 2 sums, 2 elements of b and one of a occupy 15 of the 16 registers.
template <std::size_t rows>
[[gnu::target("avx2,fma")]] void avx2_tile(const Tile& tile) {
    constexpr std::size_t vectors = avx2_columns / avx2_lanes;
    __m256 sums[rows][vectors];
#pragma GCC unroll 6
    for (auto& row : sums) {
#pragma GCC unroll 2
        for (auto& sum : row) {
            sum = _mm256_setzero_ps();
        }
    }
    const float* left = tile.a.data;
    const float* right = tile.b.data;
    for (std::size_t k = 0; k < tile.depth; ++k) {
        __m256 b[vectors];
#pragma GCC unroll 2
        for (std::size_t j = 0; j < vectors; ++j) {
            b[j] = _mm256_loadu_ps(right + avx2_lanes * j);
        }
#pragma GCC unroll 6
        for (std::size_t i = 0; i < rows; ++i) {
            const __m256 a =
                _mm256_broadcast_ss(left + static_cast<std::ptrdiff_t>(i) * tile.a.row);
#pragma GCC unroll 2
            for (std::size_t j = 0; j < vectors; ++j) {
                sums[i][j] = _mm256_fmadd_ps(a, b[j], sums[i][j]);
            }
        }
        left += tile.a.depth;
        right += tile.b.row;
    }
#pragma GCC unroll 6
    for (std::size_t i = 0; i < rows; ++i) {
#pragma GCC unroll 2
        for (std::size_t j = 0; j < vectors; ++j) {
            float* out = tile.c.data + static_cast<std::ptrdiff_t>(i) * tile.c.row + avx2_lanes * j;
            const __m256 before = tile.adds ? _mm256_loadu_ps(out) : _mm256_setzero_ps();
            _mm256_storeu_ps(out, _mm256_add_ps(before, sums[i][j]));
        }
    }
}

template <std::size_t... rows>
constexpr auto all_avx2_tiles(std::index_sequence<rows...>) {
    return std::array{TileKernel(avx2_tile<rows + 1>)...};
}

// Indexed by rows - 1: tiles of 16 columns.
constexpr auto avx2_tiles = all_avx2_tiles(std::make_index_sequence<tile_rows>());

// Indexed by rows - 1 and vectors - 1.
constexpr auto register_tiles = all_tiles<false>(std::make_index_sequence<tile_rows>());
constexpr auto fetching_tiles = all_tiles<true>(std::make_index_sequence<tile_rows>());

#else

constexpr std::array<std::array<TileKernel, 4>, tile_rows> register_tiles = {};
constexpr auto fetching_tiles = register_tiles;
constexpr std::array<TileKernel, tile_rows> avx2_tiles = {};

#endif

Isa isa_of_tiles() {
#if defined(__x86_64__)
    return widest_isa();
#else
    return Isa::baseline;
#endif
}

void multiply_tile(Isa isa, const Tile& tile, std::size_t rows, std::size_t columns) {
    if (isa == Isa::avx512) {
        const auto& tiles = tile.next != nullptr ? fetching_tiles : register_tiles;
        tiles[rows - 1][columns / lanes - 1](tile);
        return;
    }
    if (isa != Isa::avx2) {
        portable_tile(tile, rows, columns);
        return;
    }
    Tile part = tile;
    for (std::size_t column = 0; column < columns; column += avx2_columns) {
        part.b.data = tile.b.data + column;
        part.c.data = tile.c.data + column;
        avx2_tiles[rows - 1](part);
    }
}

}  // namespace

bool has_register_tiles() {
    return isa_of_tiles() == Isa::avx512;
}

// The outer loop is over as many columns of the right matrix as a tile has, so that they stay in
// the L1 cache.
void small_gemm(const ProductExtents& extents, const LeftMatrix& a, const RightMatrix& b,
                const ResultMatrix& c, Into into) {
    const Isa isa = isa_of_tiles();
    const std::size_t step = isa == Isa::avx2 ? avx2_columns : panel_columns;
    for (std::size_t column = 0; column < extents.columns; column += step) {
        const std::size_t columns = std::min(step, extents.columns - column);
        for (std::size_t row = 0; row < extents.rows; row += tile_rows) {
            const auto at = static_cast<std::ptrdiff_t>(row);
            multiply_tile(isa,
                          {extents.depth,
                           {a.data + at * a.row, a.row, a.depth},
                           {b.data + column, b.row},
                           {c.data + at * c.row + column, c.row},
                           into == Into::add},
                          std::min(tile_rows, extents.rows - row), columns);
        }
    }
}

// Each tile of rows prefetches its share of the next panel: one line for each k, and four tiles
// suffice for all of it.
void gemm_by_panel(std::size_t rows, std::size_t depth, const LeftMatrix& a, const float* panel,
                   const ResultMatrix& c, Into into) {
    const Isa isa = isa_of_tiles();
    const float* next = panel + depth * panel_columns;
    for (std::size_t tile = 0; tile * tile_rows < rows; ++tile) {
        const auto at = static_cast<std::ptrdiff_t>(tile * tile_rows);
        multiply_tile(isa,
                      {depth,
                       {a.data + at * a.row, a.row, a.depth},
                       {panel, panel_columns},
                       {c.data + at * c.row, c.row},
                       into == Into::add,
                       next + std::min<std::size_t>(tile, 3) * depth * lanes},
                      std::min(tile_rows, rows - tile * tile_rows), panel_columns);
    }
}

void transpose_to_panels(const RightMatrix& rows, std::size_t count, std::size_t width,
                         float* panels) {
    for (std::size_t first = 0; first < count; first += panel_columns) {
        const std::size_t columns = std::min(panel_columns, count - first);
        const float* from = rows.data + static_cast<std::ptrdiff_t>(first) * rows.row;
        for (std::size_t d = 0; d < width; ++d, panels += panel_columns) {
            for (std::size_t t = 0; t < columns; ++t) {
                panels[t] = from[static_cast<std::ptrdiff_t>(t) * rows.row +
                                 static_cast<std::ptrdiff_t>(d)];
            }
            std::fill(panels + columns, panels + panel_columns, 0.0F);
        }
    }
}

void gemm_by_panels(const ProductExtents& extents, const LeftMatrix& a, const float* panels,
                    const ResultMatrix& c) {
    for (std::size_t column = 0; column < extents.columns; column += panel_columns) {
        const std::size_t columns = std::min(panel_columns, extents.columns - column);
        small_gemm({extents.rows, columns, extents.depth}, a,
                   {panels + column * extents.depth, panel_columns}, {c.data + column, c.row},
                   Into::overwrite);
    }
}

}  // namespace strata::cpu
