// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/winograd_filters.h"

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

// Calls visit(element's offset in w, its offset in a buffer [R][R][row][column]) for each element
// of a block's filters.
template <class Visit>
void for_each_weight(const FilterLayout& layout, const FilterBlock& block, bool turned,
                     Visit&& visit) {
    const std::size_t elements = layout.side * layout.side;
    for (std::size_t i = 0; i < block.rows; ++i) {
        for (std::size_t j = 0; j < block.columns; ++j) {
            const std::size_t k = turned ? block.row + i : block.column + j;
            const std::size_t c = turned ? block.column + j : block.row + i;
            const std::ptrdiff_t filter = layout.output_offset(k) + layout.input_offset(c);
            for (std::size_t e = 0; e < elements; ++e) {
                const std::size_t from = turned ? elements - 1 - e : e;
                visit(filter + distance(from) * layout.element_step(),
                      (e * block_side + i) * block_side + j);
            }
        }
    }
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
    for_each_weight(layout, block, turned,
                    [&](std::ptrdiff_t in, std::size_t at) { buffer[at] = weight[in]; });
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
    FilterBlock padded = block;
    if (layout.order != FilterOrder::oihw) {
        // The library expects zeros in the rest of its blocks.
        const std::size_t side = layout.block();
        padded.rows = (block.rows + side - 1) / side * side;
        padded.columns = (block.columns + side - 1) / side * side;
        for_each_weight(layout, padded, false,
                        [&](std::ptrdiff_t out, std::size_t) { weight[out] = 0; });
    }
    for_each_weight(layout, block, false,
                    [&](std::ptrdiff_t out, std::size_t at) { weight[out] = buffer[at]; });
}

}  // namespace strata::cpu::winograd
