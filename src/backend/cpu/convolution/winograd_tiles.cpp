// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/winograd_tiles.h"

#include <algorithm>

namespace strata::cpu::winograd {

namespace {

constexpr std::ptrdiff_t max_extent = 8;
constexpr std::ptrdiff_t max_group = 16;
using TileBuffer = float[max_extent * max_extent * max_group];

// Tiles side by side with the same rows and columns inside the image.
struct TileRun {
    std::size_t image = 0;
    std::ptrdiff_t y = 0;  // of the first tile's first element
    std::ptrdiff_t x = 0;
    std::size_t first = 0;
    std::size_t tiles = 1;
    Inside rows;
    Inside columns;
};

Inside inside(std::ptrdiff_t origin, std::ptrdiff_t extent, std::ptrdiff_t limit) {
    const std::ptrdiff_t begin = std::clamp<std::ptrdiff_t>(-origin, 0, extent);
    const std::ptrdiff_t end = std::clamp<std::ptrdiff_t>(limit - origin, begin, extent);
    return {static_cast<std::size_t>(begin), static_cast<std::size_t>(end)};
}

// How many tiles starting with the one at x are entirely between the image's left and right edge: 1
// if the first is not.
std::size_t whole_tiles(const TileGrid& grid, std::ptrdiff_t x, std::ptrdiff_t width) {
    if (x < 0 || x + grid.extent > width) {
        return 1;
    }
    return static_cast<std::size_t>((width - grid.extent - x) / grid.step) + 1;
}

template <class Visit>
void for_each_run(const TileGrid& grid, const ImageLayout& layout, IndexRange tiles,
                  Visit&& visit) {
    for (std::size_t tile = tiles.begin; tile < tiles.end;) {
        const std::size_t row = tile / grid.columns, column = tile % grid.columns;
        TileRun run;
        run.image = row / grid.rows;
        run.y = distance(row % grid.rows) * grid.step - grid.pad_top;
        run.x = distance(column) * grid.step - grid.pad_left;
        run.first = tile;
        run.tiles = std::min(
            {whole_tiles(grid, run.x, layout.width), grid.columns - column, tiles.end - tile});
        run.rows = inside(run.y, grid.extent, layout.height);
        run.columns = inside(run.x, grid.extent, layout.width);
        visit(run);
        tile += run.tiles;
    }
}

std::ptrdiff_t position(const ImageLayout& layout, const TileRun& run, std::size_t group) {
    return distance(run.image) * layout.image_step + distance(group) * layout.group_step +
           run.y * layout.row_step + run.x * layout.column_step;
}

// Calls visit(offset in the image, offset in a buffer [extent][extent][16]) for every element of a
// tile that exists.
template <class Visit>
void for_each_element(const ImageLayout& layout, const TileRun& run, const TileGrid& grid,
                      std::size_t group, Visit&& visit) {
    const std::size_t count = std::min(layout.group, layout.channels - group * layout.group);
    for (std::size_t y = run.rows.begin; y < run.rows.end; ++y) {
        for (std::size_t x = run.columns.begin; x < run.columns.end; ++x) {
            for (std::size_t c = 0; c < count; ++c) {
                visit(distance(y) * layout.row_step + distance(x) * layout.column_step +
                          distance(c) * layout.channel_step,
                      (distance(y) * grid.extent + distance(x)) * max_group + distance(c));
            }
        }
    }
}

// Steps in such a buffer.
Steps buffer_steps(const TileGrid& grid) {
    return {grid.extent * max_group, max_group, 0};
}

Inside all_of(const TileGrid& grid) {
    return {0, static_cast<std::size_t>(grid.extent)};
}

// Moves the tiles of a run one by one through a buffer.
template <class Visit>
void for_each_tile(const TileRun& run, const TileGrid& grid, Visit&& visit) {
    TileRun one = run;
    one.tiles = 1;
    for (std::size_t i = 0; i < run.tiles; ++i) {
        visit(one);
        ++one.first;
        one.x += grid.step;
    }
}

Steps image_steps(const ImageLayout& layout, const TileGrid& grid) {
    return {layout.row_step, layout.column_step, grid.step * layout.column_step};
}

Steps plane_steps(const TransformedTiles& tiles, std::size_t size) {
    return {distance(size) * tiles.point_step, tiles.point_step, tiles.tile_step};
}

}  // namespace

ImageLayout layout_of(const Dims& image, ImageOrder order) {
    ImageLayout layout;
    layout.channels = static_cast<std::size_t>(image[1]);
    layout.height = image[2];
    layout.width = image[3];
    const std::ptrdiff_t plane = layout.height * layout.width;
    if (order == ImageOrder::nchw) {
        layout.channel_step = plane;
        layout.group_step = 16 * plane;
        layout.column_step = 1;
        layout.image_step = image[1] * plane;
    } else if (order == ImageOrder::nhwc) {
        layout.group_step = 16;
        layout.column_step = image[1];
        layout.image_step = image[1] * plane;
    } else {
        layout.filled = true;
        layout.group = order == ImageOrder::nchw8c ? 8 : 16;
        layout.column_step = distance(layout.group);
        layout.group_step = plane * layout.column_step;
        layout.image_step = distance(layout.groups()) * layout.group_step;
    }
    layout.row_step = layout.width * layout.column_step;
    return layout;
}

void read_tiles(const ImageLayout& layout, const float* image, const TileGrid& grid,
                IndexRange tiles, std::size_t group, Codelet codelet, std::size_t size,
                const TransformedTiles& to) {
    Strip strip;
    strip.to_steps = plane_steps(to, size);
    strip.channels = layout.group;
    for_each_run(grid, layout, tiles, [&](const TileRun& run) {
        if (layout.direct(group)) {
            strip.from = image + position(layout, run, group);
            strip.from_steps = image_steps(layout, grid);
            strip.to = to.at(0, group * layout.group, run.first - tiles.begin);
            strip.tiles = run.tiles;
            strip.rows = run.rows;
            strip.columns = run.columns;
            codelet(strip);
            return;
        }
        for_each_tile(run, grid, [&](const TileRun& one) {
            alignas(64) TileBuffer buffer = {};
            const float* from = image + position(layout, one, group);
            for_each_element(layout, one, grid, group,
                             [&](std::ptrdiff_t in, std::ptrdiff_t at) { buffer[at] = from[in]; });
            strip.from = buffer;
            strip.from_steps = buffer_steps(grid);
            strip.to = to.at(0, group * layout.group, one.first - tiles.begin);
            strip.rows = strip.columns = all_of(grid);
            codelet(strip);
        });
    });
}

void write_tiles(const TransformedTiles& from, std::size_t size, Codelet codelet,
                 const TileGrid& grid, IndexRange tiles, std::size_t group,
                 std::size_t first_channel, const Epilogue& epilogue, const ImageLayout& layout,
                 float* image) {
    Strip strip;
    strip.from_steps = plane_steps(from, size);
    strip.channels = layout.group;
    strip.bias = epilogue.bias == nullptr ? nullptr : epilogue.bias + group * layout.group;
    strip.relu = epilogue.relu;
    const std::size_t channel = group * layout.group - first_channel;
    for_each_run(grid, layout, tiles, [&](const TileRun& run) {
        if (layout.direct(group)) {
            strip.from = from.at(0, channel, run.first - tiles.begin);
            strip.to = image + position(layout, run, group);
            strip.addend = epilogue.addend == nullptr
                               ? nullptr
                               : epilogue.addend + position(layout, run, group);
            strip.to_steps = image_steps(layout, grid);
            strip.tiles = run.tiles;
            strip.rows = run.rows;
            strip.columns = run.columns;
            codelet(strip);
            return;
        }
        for_each_tile(run, grid, [&](const TileRun& one) {
            alignas(64) TileBuffer buffer;
            strip.from = from.at(0, channel, one.first - tiles.begin);
            strip.to = buffer;
            strip.to_steps = buffer_steps(grid);
            strip.rows = one.rows;
            strip.columns = one.columns;
            strip.relu = epilogue.relu && epilogue.addend == nullptr;
            codelet(strip);
            const std::ptrdiff_t place = position(layout, one, group);
            float* to = image + place;
            if (epilogue.addend == nullptr) {
                for_each_element(
                    layout, one, grid, group,
                    [&](std::ptrdiff_t out, std::ptrdiff_t at) { to[out] = buffer[at]; });
                return;
            }
            const float* addend = epilogue.addend + place;
            for_each_element(layout, one, grid, group, [&](std::ptrdiff_t out, std::ptrdiff_t at) {
                const float sum = buffer[at] + addend[out];
                to[out] = epilogue.relu && sum < 0 ? 0 : sum;
            });
        });
    });
}

}  // namespace strata::cpu::winograd
