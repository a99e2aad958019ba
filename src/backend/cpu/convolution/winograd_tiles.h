// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/method.h"
#include "backend/cpu/convolution/winograd_codelets.h"

#include <algorithm>

namespace strata::cpu::winograd {

// Consecutive numbers.
struct IndexRange {
    std::size_t begin = 0;
    std::size_t end = 0;

    std::size_t size() const { return end - begin; }
};

// The layout of an image [N, C, H, W], in floats. Channels are processed in groups of adjacent
// ones, or of 16 if none are adjacent.
struct ImageLayout {
    std::size_t channels = 0;
    std::ptrdiff_t height = 0;
    std::ptrdiff_t width = 0;
    std::size_t group = 16;
    bool filled = false;  // groups are padded with zeros in memory
    std::ptrdiff_t image_step = 0;
    std::ptrdiff_t group_step = 0;
    std::ptrdiff_t row_step = 0;
    std::ptrdiff_t column_step = 0;
    std::ptrdiff_t channel_step = 1;

    std::size_t groups() const { return (channels + group - 1) / group; }
    std::size_t lanes() const { return groups() * group; }
    // Groups whose transformed tiles share a cache line are one thread's, lest two write the line.
    std::size_t groups_of_line() const { return 16 / group; }
    std::size_t lines() const { return (groups() + groups_of_line() - 1) / groups_of_line(); }
    IndexRange groups_in(std::size_t line) const {
        const std::size_t first = line * groups_of_line();
        return {first, std::min(first + groups_of_line(), groups())};
    }
    // Whether the vectors of a group can be read and written in place.
    bool direct(std::size_t g) const {
        return channel_step == 1 && (filled || (g + 1) * group <= channels);
    }
};

ImageLayout layout_of(const Dims& image, ImageOrder order);

// The tiles that cover an image: `extent` is the side of a tile, `step` the distance between tiles;
// the first begins at (-pad_top, -pad_left). Tiles are numbered row by row, image by image.
struct TileGrid {
    std::size_t images = 0;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::ptrdiff_t extent = 0;
    std::ptrdiff_t step = 0;
    std::ptrdiff_t pad_top = 0;
    std::ptrdiff_t pad_left = 0;

    std::size_t count() const { return images * rows * columns; }
};

// Tiles after the transform of the data or before that of the outputs: their elements ("points") in
// planes, each with a row for each tile and the channels in panels of 64.
struct TransformedTiles {
    float* data = nullptr;
    std::ptrdiff_t point_step = 0;
    std::ptrdiff_t panel_step = 0;
    std::ptrdiff_t tile_step = 0;

    float* at(std::size_t point, std::size_t channel, std::size_t tile) const {
        constexpr std::size_t panel = 64;
        return data + static_cast<std::ptrdiff_t>(point) * point_step +
               static_cast<std::ptrdiff_t>(channel / panel) * panel_step +
               static_cast<std::ptrdiff_t>(tile) * tile_step +
               static_cast<std::ptrdiff_t>(channel % panel);
    }
};

// The same without the tiles before `first`.
inline TransformedTiles from_tile(TransformedTiles tiles, std::size_t first) {
    tiles.data += static_cast<std::ptrdiff_t>(first) * tiles.tile_step;
    return tiles;
}

// The operands that the output transform adds.
struct Epilogue {
    const float* bias = nullptr;    // padded to a multiple of 16 channels
    const float* addend = nullptr;  // an image with the layout of the result, or the result itself
    bool relu = false;
};

// Transforms one group of channels of some tiles of an image. The first of the tiles is number 0 in
// `to`, which has size x size points.
void read_tiles(const ImageLayout& layout, const float* image, const TileGrid& grid,
                IndexRange tiles, std::size_t group, Codelet codelet, std::size_t size,
                const TransformedTiles& to);

// The inverse: writes a group of channels of an image. `first_channel` is the number in `from` of
// channel 0.
void write_tiles(const TransformedTiles& from, std::size_t size, Codelet codelet,
                 const TileGrid& grid, IndexRange tiles, std::size_t group,
                 std::size_t first_channel, const Epilogue& epilogue, const ImageLayout& layout,
                 float* image);

}  // namespace strata::cpu::winograd
