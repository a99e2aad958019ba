// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/fold.h"

#include <algorithm>

namespace strata::cuda {

namespace {

Dims picked(const Dims& values, const std::vector<bool>& folded, bool wanted) {
    Dims result;
    for (std::size_t axis = 0; axis < values.size(); ++axis) {
        if (folded[axis] == wanted) {
            result.push_back(values[axis]);
        }
    }
    return result;
}

std::vector<Dims> picked(const std::vector<Dims>& strides, const std::vector<bool>& folded,
                         bool wanted) {
    std::vector<Dims> result;
    for (const Dims& one : strides) {
        result.push_back(picked(one, folded, wanted));
    }
    return result;
}

// Whether the first input is contiguous along some folded axis longer than 1.
bool folds_neighbours(const FoldShape& shape) {
    for (std::size_t axis = 0; axis < shape.extents.size(); ++axis) {
        if (shape.folded[axis] && shape.extents[axis] > 1 && shape.inputs[0][axis] == 1) {
            return true;
        }
    }
    return false;
}

}  // namespace

FoldAxes fold_axes(const FoldShape& shape) {
    std::vector<Dims> all = shape.inputs;
    all.push_back(shape.output);
    const Dims kept = picked(shape.extents, shape.folded, false);
    const Dims output = picked(shape.output, shape.folded, false);
    return {.kept = joined_axes(kept, picked(all, shape.folded, false)),
            .folded = joined_axes(picked(shape.extents, shape.folded, true),
                                  picked(shape.inputs, shape.folded, true)),
            .results = joined_axes(kept, {output}),
            .is_contiguous = folds_neighbours(shape)};
}

// Aims at several blocks for every multiprocessor of a large GPU, so that the last ones to end are
// a small part, without slices so short that their partial results cost more than they gain.
std::int64_t fold_slices(const FoldAxes& axes) {
    const std::int64_t wanted_blocks = axes.is_contiguous ? 2048 : 512;
    const std::int64_t shortest = axes.is_contiguous ? 4096 : 256;
    const std::int64_t each_block = axes.is_contiguous ? 1 : 32;
    const std::int64_t blocks = (axes.kept.count + each_block - 1) / each_block;
    const std::int64_t wanted = wanted_blocks / std::max<std::int64_t>(blocks, 1);
    return std::max<std::int64_t>(1, std::min(wanted, axes.folded.count / shortest));
}

ChannelTiles channel_tiles(std::int64_t rows, std::int64_t channels, std::int64_t blocks,
                           std::int64_t least, std::int64_t most) {
    constexpr std::int64_t threads = 256;
    constexpr std::int64_t pack = 8;
    const auto ceiling = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    ChannelTiles tiles = {.rows = rows, .channels = channels};
    while (tiles.packs < 32 && tiles.packs * pack < channels) {
        tiles.packs *= 2;
    }
    tiles.across = ceiling(channels, tiles.packs * pack);
    const std::int64_t step = threads / tiles.packs;
    const std::int64_t wanted = std::max<std::int64_t>(1, blocks / tiles.across);
    tiles.rows_of_block = step * std::clamp(ceiling(rows, step * wanted), least, most);
    tiles.slices = std::max<std::int64_t>(1, ceiling(rows, tiles.rows_of_block));
    return tiles;
}

}  // namespace strata::cuda
