// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/weight_tile.h"

#include "backend/cpu/kernels/isa.h"

#include <array>
#include <cstring>
#include <utility>

namespace strata::cpu {

namespace {

constexpr std::size_t tile_rows = 6;
constexpr std::size_t line_floats = 16;

struct Tile {
    const PointBlock& block;
    const SeenElements& x;
    const OutputVectors& y;
    float* sums = nullptr;
    std::size_t sums_row = 0;
    // The first line to prefetch, and the floats to the next; 0 if nothing is ahead. The points may
    // extend half a vector beyond an image, possibly beyond the array.
    const float* ahead = nullptr;
    std::ptrdiff_t ahead_step = 0;
};
using TileKernel = void (*)(const Tile&);

#if defined(__x86_64__)

struct Avx512 {
    using Vector = float __attribute__((vector_size(64)));
    static constexpr std::size_t vectors = 4;  // 6 x 4 sums, 4 vectors and an element: 29 registers
};
struct Avx2 {
    using Vector = float __attribute__((vector_size(32)));
    static constexpr std::size_t vectors = 2;  // 6 x 2 sums, 2 vectors and an element: 15 registers
};

template <class Vector, std::size_t rows, std::size_t vectors>
[[gnu::always_inline]] inline void add_point(const float* const (&seen)[rows], std::size_t q,
                                             const float* y, std::ptrdiff_t y_vector,
                                             Vector (&sums)[rows][vectors]) {
    Vector outputs[vectors];
#pragma GCC unroll 4
    for (std::size_t j = 0; j < vectors; ++j) {
        std::memcpy(&outputs[j], y + static_cast<std::ptrdiff_t>(j) * y_vector, sizeof(Vector));
    }
#pragma GCC unroll 6
    for (std::size_t i = 0; i < rows; ++i) {
#pragma GCC unroll 4
        for (std::size_t j = 0; j < vectors; ++j) {
            sums[i][j] += seen[i][q] * outputs[j];
        }
    }
}

// The tile's sums stay in registers. Every few points, one line of the next data is prefetched: all
// at once would fill the load queue that the tile needs.
template <class Vector, std::size_t rows, std::size_t vectors>
[[gnu::always_inline]] inline void add_tile(const Tile& tile) {
    constexpr std::size_t lanes = sizeof(Vector) / sizeof(float);
    constexpr std::size_t points_of_line = 2 * line_floats / lanes;
    Vector sums[rows][vectors] = {};
#pragma GCC unroll 6
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < vectors * lanes; j += line_floats) {
            __builtin_prefetch(tile.sums + i * tile.sums_row + j, 1);
        }
    }
    for (std::size_t n = 0; n < tile.block.images; ++n) {
        const auto image = static_cast<std::ptrdiff_t>(n);
        const float* y = tile.y.data + image * tile.y.image;
        const float* x = tile.x.data + image * tile.x.image;
        const float* ahead = tile.ahead + (tile.ahead_step > 0 ? image * tile.y.image : 0);
        for (std::size_t p = 0; p < tile.block.rows; ++p, x += tile.x.row) {
            const float* seen[rows];
#pragma GCC unroll 6
            for (std::size_t i = 0; i < rows; ++i) {
                seen[i] = x + tile.x.offsets[i];
            }
            for (std::size_t q = 0; q < tile.block.columns; ++q, y += tile.y.point) {
                if (q % points_of_line == 0) {
                    __builtin_prefetch(ahead, 0, 2);
                    ahead += tile.ahead_step;
                }
                add_point<Vector, rows, vectors>(seen, q, y, tile.y.vector, sums);
            }
        }
    }
#pragma GCC unroll 6
    for (std::size_t i = 0; i < rows; ++i) {
#pragma GCC unroll 4
        for (std::size_t j = 0; j < vectors; ++j) {
            float* out = tile.sums + i * tile.sums_row + j * lanes;
            Vector sum;
            std::memcpy(&sum, out, sizeof(Vector));
            sum += sums[i][j];
            std::memcpy(out, &sum, sizeof(Vector));
        }
    }
}

// Only a function of that target may use its registers.
template <std::size_t rows, std::size_t vectors>
[[gnu::target("avx512f")]] void tile_of(Avx512, const Tile& tile) {
    add_tile<Avx512::Vector, rows, vectors>(tile);
}
template <std::size_t rows, std::size_t vectors>
[[gnu::target("avx2,fma")]] void tile_of(Avx2, const Tile& tile) {
    add_tile<Avx2::Vector, rows, vectors>(tile);
}

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

// Tiles of about equal height, because narrow ones wait for their own sums. Two of them prefetch a
// vector of the next data, one its first half; few rows have too few tiles for all of it.
void add_weight_sums(const PointBlock& block, std::size_t rows, std::size_t vectors,
                     const SeenElements& x, const OutputVectors& y, float* sums,
                     std::size_t sums_row) {
    const std::size_t tiles = (rows + tile_rows - 1) / tile_rows;
    const auto points = static_cast<std::ptrdiff_t>(block.rows * block.columns);
    for (std::size_t number = 0, row = 0; number < tiles; ++number) {
        const std::size_t count = (rows - row + tiles - number - 1) / (tiles - number);
        const SeenElements seen = {x.data, x.offsets + row, x.image, x.row};
        Tile tile = {block, seen, y, sums + row * sums_row, sums_row, y.data, 0};
        if (y.ahead != 0 && number < 2 * vectors) {
            const auto vector = static_cast<std::ptrdiff_t>(number / 2);
            const auto half = static_cast<std::ptrdiff_t>(number % 2);
            tile.ahead += y.ahead + vector * y.vector + half * points * y.point / 2;
            tile.ahead_step = static_cast<std::ptrdiff_t>(line_floats);
        }
        multiply_tile(tile, count, vectors);
        row += count;
    }
}

}  // namespace strata::cpu
