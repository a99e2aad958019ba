// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/weight_tile.h"

#include "backend/cpu/kernels/isa.h"

#include <algorithm>
#include <array>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace strata::cpu {

namespace {

constexpr std::size_t tile_rows = 6;

struct Tile {
    const PointBlock& block;
    const SeenElements& x;
    const OutputVectors& y;
    float* sums = nullptr;
    std::size_t sums_row = 0;
};
using TileKernel = void (*)(const Tile&);

#if defined(__x86_64__)

struct Avx512 {
    using Vector = __m512;
    static constexpr std::size_t vectors = 4;  // 6 x 4 sums, 4 vectors and an element: 29 registers
};
struct Avx2 {
    using Vector = __m256;
    static constexpr std::size_t vectors = 2;  // 6 x 2 sums, 2 vectors and an element: 15 registers
};

// The body is the same for both; only a function of that target may use its registers.
#define STRATA_WEIGHT_TILE(Isa, target_name, zero, load, store, broadcast, multiply_add, add)  \
    template <std::size_t rows, std::size_t vectors>                                           \
    [[gnu::target(target_name)]] void tile_of(Isa, const Tile& tile) {                         \
        using Vector = Isa::Vector;                                                            \
        constexpr std::size_t lanes = sizeof(Vector) / sizeof(float);                          \
        Vector sums[rows][vectors];                                                            \
        _Pragma("GCC unroll 6") for (auto& row : sums) {                                       \
            _Pragma("GCC unroll 4") for (auto& sum : row) {                                    \
                sum = zero();                                                                  \
            }                                                                                  \
        }                                                                                      \
        for (std::size_t n = 0; n < tile.block.images; ++n) {                                  \
            const float* y = tile.y.data + static_cast<std::ptrdiff_t>(n) * tile.y.image;      \
            const float* x = tile.x.data + static_cast<std::ptrdiff_t>(n) * tile.x.image;      \
            for (std::size_t p = 0; p < tile.block.rows; ++p, x += tile.x.row) {               \
                const float* seen[rows];                                                       \
                _Pragma("GCC unroll 6") for (std::size_t i = 0; i < rows; ++i) {               \
                    seen[i] = x + tile.x.offsets[i];                                           \
                }                                                                              \
                for (std::size_t q = 0; q < tile.block.columns; ++q, y += tile.y.point) {      \
                    Vector outputs[vectors];                                                   \
                    _Pragma("GCC unroll 4") for (std::size_t j = 0; j < vectors; ++j) {        \
                        outputs[j] = load(y + static_cast<std::ptrdiff_t>(j) * tile.y.vector); \
                    }                                                                          \
                    _Pragma("GCC unroll 6") for (std::size_t i = 0; i < rows; ++i) {           \
                        const Vector element = broadcast(seen[i][q]);                          \
                        _Pragma("GCC unroll 4") for (std::size_t j = 0; j < vectors; ++j) {    \
                            sums[i][j] = multiply_add(element, outputs[j], sums[i][j]);        \
                        }                                                                      \
                    }                                                                          \
                }                                                                              \
            }                                                                                  \
        }                                                                                      \
        _Pragma("GCC unroll 6") for (std::size_t i = 0; i < rows; ++i) {                       \
            _Pragma("GCC unroll 4") for (std::size_t j = 0; j < vectors; ++j) {                \
                float* out = tile.sums + i * tile.sums_row + j * lanes;                        \
                store(out, add(load(out), sums[i][j]));                                        \
            }                                                                                  \
        }                                                                                      \
    }

STRATA_WEIGHT_TILE(Avx512, "avx512f", _mm512_setzero_ps, _mm512_loadu_ps, _mm512_storeu_ps,
                   _mm512_set1_ps, _mm512_fmadd_ps, _mm512_add_ps)
STRATA_WEIGHT_TILE(Avx2, "avx2,fma", _mm256_setzero_ps, _mm256_loadu_ps, _mm256_storeu_ps,
                   _mm256_set1_ps, _mm256_fmadd_ps, _mm256_add_ps)
#undef STRATA_WEIGHT_TILE

// Indexed by rows - 1 and vectors - 1.
template <class Isa, std::size_t rows, std::size_t... vectors>
constexpr auto tiles_of(std::index_sequence<vectors...>) {
    return std::array{
        TileKernel([](const Tile& tile) { tile_of<rows, vectors + 1>(Isa{}, tile); })...};
}
template <class Isa, std::size_t... rows>
constexpr auto all_tiles(std::index_sequence<rows...>) {
    return std::array{tiles_of<Isa, rows + 1>(std::make_index_sequence<Isa::vectors>())...};
}
constexpr auto avx512_tiles = all_tiles<Avx512>(std::make_index_sequence<tile_rows>());
constexpr auto avx2_tiles = all_tiles<Avx2>(std::make_index_sequence<tile_rows>());

#endif

constexpr std::size_t portable_lanes = 4;
constexpr std::size_t portable_vectors = 4;

void portable_tile(const Tile& tile, std::size_t rows, std::size_t vectors) {
    for (std::size_t n = 0; n < tile.block.images; ++n) {
        const float* y = tile.y.data + static_cast<std::ptrdiff_t>(n) * tile.y.image;
        const float* x = tile.x.data + static_cast<std::ptrdiff_t>(n) * tile.x.image;
        for (std::size_t p = 0; p < tile.block.rows; ++p, x += tile.x.row) {
            for (std::size_t q = 0; q < tile.block.columns; ++q, y += tile.y.point) {
                for (std::size_t i = 0; i < rows; ++i) {
                    const float element = x[tile.x.offsets[i] + static_cast<std::ptrdiff_t>(q)];
                    for (std::size_t j = 0; j < vectors; ++j) {
                        const float* outputs = y + static_cast<std::ptrdiff_t>(j) * tile.y.vector;
                        float* sums = tile.sums + i * tile.sums_row + j * portable_lanes;
                        for (std::size_t lane = 0; lane < portable_lanes; ++lane) {
                            sums[lane] += element * outputs[lane];
                        }
                    }
                }
            }
        }
    }
}

void multiply_tile(const Tile& tile, std::size_t rows, std::size_t vectors) {
#if defined(__x86_64__)
    if (widest_isa() == Isa::avx512) {
        avx512_tiles[rows - 1][vectors - 1](tile);
        return;
    }
    if (widest_isa() == Isa::avx2) {
        avx2_tiles[rows - 1][vectors - 1](tile);
        return;
    }
#endif
    portable_tile(tile, rows, vectors);
}

}  // namespace

std::size_t vector_floats() {
    const Isa isa = widest_isa();
    return isa == Isa::avx512 ? 16 : isa == Isa::avx2 ? 8 : portable_lanes;
}

std::size_t tile_vectors() {
    const Isa isa = widest_isa();
    return isa == Isa::avx2 ? 2 : portable_vectors;
}

void add_weight_sums(const PointBlock& block, std::size_t rows, std::size_t vectors,
                     const SeenElements& x, const OutputVectors& y, float* sums,
                     std::size_t sums_row) {
    for (std::size_t row = 0; row < rows; row += tile_rows) {
        const SeenElements seen = {x.data, x.offsets + row, x.image, x.row};
        multiply_tile({block, seen, y, sums + row * sums_row, sums_row},
                      std::min(tile_rows, rows - row), vectors);
    }
}

}  // namespace strata::cpu
