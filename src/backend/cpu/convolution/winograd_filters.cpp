// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/winograd_filters.h"

#include "backend/cpu/kernels/small_gemm.h"

#include <algorithm>
#include <cmath>

namespace strata::cpu::winograd {

namespace {

constexpr std::size_t block_side = 16;
constexpr std::size_t max_side = 5;
using FilterBuffer = float[max_side * max_side * block_side * block_side];

// A block of rows and columns of transformed filters.
struct FilterBlock {
    std::size_t row = 0;
    std::size_t column = 0;
    std::size_t rows = 0;
    std::size_t columns = 0;

    bool whole() const { return rows == block_side && columns == block_side; }
};

FilterBlock block_of(const TransformedFilters& filters, std::size_t task) {
    const std::size_t down = (filters.rows + block_side - 1) / block_side;
    const std::size_t row = task % down * block_side, column = task / down * block_side;
    return {row, column, std::min(block_side, filters.rows - row),
            std::min(block_side, filters.columns - column)};
}

// Blocks of filters with 16 adjacent outputs can be transformed in place.
bool direct(const FilterLayout& layout, const FilterBlock& block, bool turned) {
    return layout.order == FilterOrder::oihw16i16o && block.whole() && !turned;
}

Steps blocked_steps(std::size_t side) {
    constexpr std::size_t block = block_side * block_side;
    return {distance(side * block), distance(block), distance(block_side)};
}

// A part of a block whose weights have the same distances: of one block of the layout.
struct WeightTile {
    std::ptrdiff_t weight = 0;  // offset of its first filter in w
    std::size_t row = 0;        // of its first filter in the block
    std::size_t column = 0;
    std::size_t rows = 0;
    std::size_t columns = 0;
};

template <class Visit>
void for_each_tile(const FilterLayout& layout, const FilterBlock& block, bool turned,
                   const Visit& visit) {
    const std::size_t side = layout.block();
    for (std::size_t i = 0; i < block.rows; i += side) {
        for (std::size_t j = 0; j < block.columns; j += side) {
            const std::size_t k = turned ? block.row + i : block.column + j;
            const std::size_t c = turned ? block.column + j : block.row + i;
            visit(WeightTile{layout.output_offset(k) + layout.input_offset(c), i, j,
                             std::min(side, block.rows - i), std::min(side, block.columns - j)});
        }
    }
}

// Copies the filters of a block to a buffer [R][R][row][column].
void gather(const FilterLayout& layout, const FilterBlock& block, bool turned, const float* weight,
            float* buffer) {
    const std::size_t elements = layout.side * layout.side;
    const std::ptrdiff_t side = distance(layout.block());
    for_each_tile(layout, block, turned, [&](const WeightTile& tile) {
        for (std::size_t e = 0; e < elements; ++e) {
            const std::size_t from = turned ? elements - 1 - e : e;
            const float* at = weight + tile.weight + distance(from) * layout.element_step();
            float* to = buffer + (e * block_side + tile.row) * block_side + tile.column;
            for (std::size_t i = 0; i < tile.rows; ++i, to += block_side) {
                const float* row = at + distance(i) * (turned ? 1 : side);
                for (std::size_t j = 0; j < tile.columns; ++j) {
                    to[j] = turned ? row[distance(j) * side] : row[j];
                }
            }
        }
    });
}

// The inverse for filters that are not turned.
void scatter(const FilterLayout& layout, const FilterBlock& block, const float* buffer,
             float* weight) {
    const std::size_t elements = layout.side * layout.side;
    for_each_tile(layout, block, false, [&](const WeightTile& tile) {
        for (std::size_t e = 0; e < elements; ++e) {
            float* to = weight + tile.weight + distance(e) * layout.element_step();
            const float* from = buffer + (e * block_side + tile.row) * block_side + tile.column;
            for (std::size_t i = 0; i < tile.rows; ++i, from += block_side) {
                std::copy_n(from, tile.columns, to + i * layout.block());
            }
        }
    });
}

Strip strip_of(const FilterBlock& block, std::size_t side) {
    Strip strip;
    strip.tiles = block.rows;
    strip.channels = block_side;
    strip.rows = strip.columns = {0, side};
    return strip;
}

float* place_of(const TransformedFilters& filters, const FilterBlock& block) {
    return filters.at(block.column / 64, 0) + block.row * 64 + block.column % 64;
}

Steps point_steps(const TransformedFilters& filters) {
    const auto size = static_cast<std::size_t>(std::lround(std::sqrt(filters.points)));
    return {distance(size * filters.point_floats()), distance(filters.point_floats()), 64};
}

}  // namespace

std::size_t FilterLayout::block() const {
    return order == FilterOrder::oihw ? 1 : order == FilterOrder::oihw8i8o ? 8 : 16;
}

std::ptrdiff_t FilterLayout::element_step() const {
    return distance(block() * block());
}

std::ptrdiff_t FilterLayout::output_offset(std::size_t k) const {
    const std::size_t across = (inputs + block() - 1) / block();
    return distance(k / block() * across * side * side * block() * block() + k % block());
}

std::ptrdiff_t FilterLayout::input_offset(std::size_t c) const {
    return distance(c / block() * side * side * block() * block() + c % block() * block());
}

std::size_t TransformedFilters::columns_of(std::size_t panel) const {
    return std::min<std::size_t>(64, (columns + 15) / 16 * 16 - panel * 64);
}

std::size_t filter_tasks(const TransformedFilters& filters) {
    return ((filters.rows + block_side - 1) / block_side) *
           ((filters.columns + block_side - 1) / block_side);
}

void transform_filters(const FilterLayout& layout, const float* weight, bool turned,
                       Codelet codelet, std::size_t task, const TransformedFilters& to) {
    const FilterBlock block = block_of(to, task);
    Strip strip = strip_of(block, layout.side);
    strip.from_steps = blocked_steps(layout.side);
    strip.to = place_of(to, block);
    strip.to_steps = point_steps(to);
    if (direct(layout, block, turned)) {
        strip.from = weight + layout.output_offset(block.column) + layout.input_offset(block.row);
        codelet(strip);
        return;
    }
    alignas(64) FilterBuffer buffer;
    if (!block.whole()) {
        std::fill(std::begin(buffer), std::end(buffer), 0.0F);
    }
    gather(layout, block, turned, weight, buffer);
    strip.from = buffer;
    codelet(strip);
}

void transform_to_filters(const TransformedFilters& from, Codelet codelet, std::size_t task,
                          const FilterLayout& layout, float* weight) {
    const FilterBlock block = block_of(from, task);
    Strip strip = strip_of(block, layout.side);
    strip.from = place_of(from, block);
    strip.from_steps = point_steps(from);
    strip.to_steps = blocked_steps(layout.side);
    if (direct(layout, block, false)) {
        strip.to = weight + layout.output_offset(block.column) + layout.input_offset(block.row);
        codelet(strip);
        return;
    }
    alignas(64) FilterBuffer buffer = {};
    strip.to = buffer;
    codelet(strip);
    // The library expects zeros in the rest of its blocks.
    for (std::size_t row = 0; row < layout.side * layout.side * block_side; ++row) {
        std::fill(buffer + row * block_side + block.columns, buffer + (row + 1) * block_side, 0.0F);
    }
    FilterBlock padded = block;
    padded.rows = round_up(block.rows, layout.block());
    padded.columns = round_up(block.columns, layout.block());
    scatter(layout, padded, buffer, weight);
}

}  // namespace strata::cpu::winograd
