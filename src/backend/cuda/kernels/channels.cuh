// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/divisor.h"
#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/fold.h"
#include "backend/cuda/kernels/launch.cuh"
#include "backend/cuda/kernels/normalization.h"

namespace strata::cuda {

// The channel of an element of images in memory, by its index.
class Channels {
public:
    explicit Channels(const ChannelPlace& place)
        : inner_(place.inner), channels_(place.channels), fills_(place.inner % Pack::size == 0) {}

    __device__ std::int64_t of(std::int64_t element) const {
        const std::int64_t row = inner_.quotient(element);
        return row - channels_.quotient(row) * channels_.value();
    }
    // Whether all elements of a pack have the same channel.
    __device__ bool fill_packs() const { return fills_; }

private:
    Divisor inner_;
    Divisor channels_;
    bool fills_;
};

// A thread's pack of channels, and its rows: `row`, `row` + `step` ... below `end`.
struct ChannelTile {
    std::int64_t first;
    std::int64_t row;
    std::int64_t step;
    std::int64_t end;
    std::int64_t slice;
    std::int64_t block_first;  // the first channel of its block

    // A thread beyond the last channel has no rows.
    __device__ ChannelTile(const ChannelTiles& tiles, std::int64_t block) {
        const unsigned pack = threadIdx.x % static_cast<unsigned>(tiles.packs);
        slice = block / tiles.across;
        block_first = (block - slice * tiles.across) * tiles.packs * Pack::size;
        first = block_first + pack * Pack::size;
        step = threads_of_each / tiles.packs;
        row = slice * tiles.rows_of_block + threadIdx.x / static_cast<unsigned>(tiles.packs);
        const std::int64_t last = (slice + 1) * tiles.rows_of_block;
        end = first >= tiles.channels ? 0 : last < tiles.rows ? last : tiles.rows;
    }
};

}  // namespace strata::cuda
