// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "backend/cuda/kernels/channels.cuh"
#include "backend/cuda/kernels/fold.cuh"

namespace strata::cuda {

// Folds [rows, channels] over the rows, channel by channel: a faster fold.cuh for the layout in
// which normalisation spends its time. `fixed` inputs are a single row that is the same for all.
template <int Moving, int Fixed, class Fold>
struct ChannelFoldBody {
    Elements moving[Moving];
    Elements fixed[Fixed == 0 ? 1 : Fixed];
    FoldOutputs<Fold> outputs;
    ChannelTiles tiles;
    Fold fold;

    __device__ void operator()(std::int64_t block) const {
        const ChannelTile tile(tiles, block);
        Carried carried;
        for (int j = 0; j < Pack::size; ++j) {
            fold.start(carried.of[j]);
        }
        Pack same[Fixed == 0 ? 1 : Fixed] = {};
        for (int k = 0; k < Fixed && tile.row < tile.end; ++k) {
            same[k] = fixed[k].load_pack(tile.first);
        }
        for (std::int64_t row = tile.row; row < tile.end; row += ahead * tile.step) {
            RawPack raw[ahead][Moving] = {};
            unrolled<ahead>([&](int step) {
                if (row + step * tile.step < tile.end) {
                    load(raw[step], row + step * tile.step, tile.first);
                }
            });
            unrolled<ahead>([&](int step) {
                if (row + step * tile.step < tile.end) {
                    add(carried, raw[step], same, row + step * tile.step);
                }
            });
        }
        combine_and_store(carried, tile);
    }

private:
    static constexpr int ahead = 4;
    struct Carried {
        float of[Pack::size][Fold::width];
    };

    __device__ void load(RawPack* to, std::int64_t row, std::int64_t first) const {
        for (int k = 0; k < Moving; ++k) {
            to[k] = moving[k].load_raw_pack(row * tiles.channels + first);
        }
    }
    __device__ void add(Carried& carried, const RawPack* raw, const Pack* same,
                        std::int64_t row) const {
        Pack packs[Moving];
        for (int k = 0; k < Moving; ++k) {
            packs[k] = moving[k].values_of(raw[k]);
        }
        for (int j = 0; j < Pack::size; ++j) {
            float values[Moving + Fixed];
            for (int k = 0; k < Moving; ++k) {
                values[k] = packs[k].at[j];
            }
            for (int k = 0; k < Fixed; ++k) {
                values[Moving + k] = same[k].at[j];
            }
            fold.add(carried.of[j], values, row);
        }
    }
    // First the rows of each warp, then the warps, for which each thread has one channel.
    __device__ void combine_and_store(Carried& carried, const ChannelTile& tile) const {
        constexpr int warps = threads_of_each / 32;
        constexpr int columns = 32 + 32 / Pack::size;  // so that neither access has bank conflicts
        __shared__ float parts[warps][Fold::width][Pack::size][columns];
        const unsigned lane = threadIdx.x % 32;
        for (int j = 0; j < Pack::size; ++j) {
            for (int which = 0; which < Fold::width; ++which) {
                float value = carried.of[j][which];
                for (int distance = 16; distance >= tiles.packs; distance /= 2) {
                    value = fold.combine(which, value, __shfl_xor_sync(~0U, value, distance));
                }
                if (lane < static_cast<unsigned>(tiles.packs)) {
                    parts[threadIdx.x / 32][which][j][lane] = value;
                }
            }
        }
        __syncthreads();
        const std::int64_t channel = tile.block_first + threadIdx.x;
        if (threadIdx.x >= static_cast<unsigned>(tiles.packs * Pack::size) ||
            channel >= tiles.channels) {
            return;
        }
        float joined[Fold::width];
        fold.start(joined);
        for (int warp = 0; warp < warps; ++warp) {
            for (int which = 0; which < Fold::width; ++which) {
                joined[which] = fold.combine(
                    which, joined[which],
                    parts[warp][which][threadIdx.x % Pack::size][threadIdx.x / Pack::size]);
            }
        }
        outputs.store(fold, joined, tile.slice, channel, channel);
    }
};

inline ChannelTiles fold_tiles(std::int64_t rows, std::int64_t channels) {
    constexpr std::int64_t blocks = 512;
    constexpr std::int64_t least = 4;
    return channel_tiles(rows, channels, blocks, least, std::max(least, rows));
}

template <int Moving, int Fixed, class Fold>
Kernel channel_fold_kernel(const std::string& name, const ChannelTiles& divided,
                           const std::array<ElementType, Moving + Fixed + Fold::width>& types,
                           Fold fold, bool is_partial) {
    return tiles(name, divided.count(), [=](std::span<void* const> at) {
        constexpr int inputs = Moving + Fixed;
        ChannelFoldBody<Moving, Fixed, Fold> body = {
            {},
            {},
            fold_outputs<Fold>(at.data() + inputs, types.data() + inputs, divided.slices,
                               is_partial),
            divided,
            fold};
        for (int k = 0; k < Moving; ++k) {
            body.moving[k] = Elements(at[k], types[k]);
        }
        for (int k = 0; k < Fixed; ++k) {
            body.fixed[k] = Elements(at[Moving + k], types[Moving + k]);
        }
        return body;
    });
}

// Only the partial results. Addresses: inputs, parts. `types`: those of the inputs. Requires:
// fills_packs.
template <int Moving, int Fixed, class Fold>
FoldParts channel_parts(const std::string& name, std::int64_t rows, std::int64_t channels,
                        const std::array<ElementType, Moving + Fixed>& types, Fold fold) {
    const ChannelTiles divided = fold_tiles(rows, channels);
    std::array<ElementType, Moving + Fixed + Fold::width> all = {};
    std::ranges::copy(types, all.begin());
    return {channel_fold_kernel<Moving, Fixed>(name, divided, all, fold, true),
            channels * divided.slices * Fold::width, divided.slices};
}

// Addresses and types: moving inputs, fixed inputs, outputs; as FoldKernels says. Requires:
// fills_packs.
template <int Moving, int Fixed, class Fold>
FoldKernels channel_fold(const std::string& name, std::int64_t rows, std::int64_t channels,
                         const std::array<ElementType, Moving + Fixed + Fold::width>& types,
                         Fold fold) {
    const ChannelTiles divided = fold_tiles(rows, channels);
    const bool is_partial = divided.slices > 1;
    FoldKernels result = {
        {channel_fold_kernel<Moving, Fixed>(name, divided, types, fold, is_partial)}, 0};
    if (is_partial) {
        std::array<ElementType, Fold::width> outputs;
        std::copy_n(types.begin() + Moving + Fixed, Fold::width, outputs.begin());
        result.partials = channels * divided.slices * Fold::width;
        result.kernels.push_back(join_kernel(name + "_join", joined_axes({channels}, {{1}}),
                                             divided.slices, outputs, fold));
    }
    return result;
}

}  // namespace strata::cuda
