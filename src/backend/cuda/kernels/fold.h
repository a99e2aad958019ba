// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"
#include "backend/cuda/kernels/strides.h"

#include <vector>

namespace strata::cuda {

// The index space of a fold: for every axis its extent, whether it is folded, and the stride of
// each input; the output's strides apply to the axes that stay.
struct FoldShape {
    Dims extents = {};
    std::vector<bool> folded = {};
    std::vector<Dims> inputs = {};
    Dims output = {};
};

// A fold as kernels: one, from the inputs to the outputs; or, if a few results have many elements
// each, one that writes `partials` floats and one that folds those. Addresses: inputs and outputs
// of a single kernel; inputs and partials of the first, partials and outputs of the second.
struct FoldKernels {
    std::vector<Kernel> kernels = {};
    std::int64_t partials = 0;
};

// A fold whose slices another kernel joins: one kernel, from the inputs to `partials` floats,
// [results, width of the fold, slices].
struct FoldParts {
    Kernel kernel;
    std::int64_t partials = 0;
    std::int64_t slices = 1;
};

// The axes of a fold as kernels walk them.
struct FoldAxes {
    Axes kept;           // strides of the inputs, then of the output
    Axes folded;         // strides of the inputs
    Axes results;        // the kept axes with only the output's strides
    bool is_contiguous;  // elements adjacent in memory are folded together
};
FoldAxes fold_axes(const FoldShape& shape);

// The number of slices each result is folded in, so that the whole GPU is busy.
std::int64_t fold_slices(const FoldAxes& axes);

// How blocks of 256 threads divide [rows, channels]: each takes up to 32 packs of channels, a power
// of two, and some rows. A thread has one pack of channels, and every `step`-th row.
struct ChannelTiles {
    std::int64_t rows = 0;
    std::int64_t channels = 0;
    std::int64_t across = 1;         // blocks side by side
    std::int64_t rows_of_block = 1;  // at most
    std::int64_t slices = 1;         // of the rows
    int packs = 1;                   // side by side in a block

    std::int64_t count() const { return across * slices; }
};
// Aims at `blocks` blocks, whose threads have from `least` to `most` rows each.
ChannelTiles channel_tiles(std::int64_t rows, std::int64_t channels, std::int64_t blocks,
                           std::int64_t least, std::int64_t most);

}  // namespace strata::cuda
