// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/divisor.h"
#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/fold.cuh"
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

// y = function(inputs, coefficients of the channel), element by element. The function is a struct
//   static constexpr int parameters;                             floats for each channel in memory
//   static constexpr int coefficients;                           that follow from them
//   void prepare(const float* parameters, float* coefficients) const;
//   float operator()(const float* inputs, const float* coefficients) const;
template <int Inputs, class Function>
struct ChannelMap {
    Elements inputs[Inputs];
    const float* parameters[Function::parameters];
    Elements y;
    Function function;

    struct Coefficients {
        float of[Function::coefficients];
    };

    __device__ Coefficients coefficients_of(std::int64_t channel) const {
        float loaded[Function::parameters];
        for (int k = 0; k < Function::parameters; ++k) {
            loaded[k] = parameters[k][channel];
        }
        Coefficients coefficients;
        function.prepare(loaded, coefficients.of);
        return coefficients;
    }
    __device__ void load(RawPack* raw, std::int64_t begin) const {
        for (int k = 0; k < Inputs; ++k) {
            raw[k] = inputs[k].load_raw_pack(begin);
        }
    }
    // `coefficients(j)`: those of the pack's j-th element.
    template <class Get>
    __device__ void store(const RawPack* raw, std::int64_t begin, const Get& coefficients) const {
        Pack packs[Inputs];
        for (int k = 0; k < Inputs; ++k) {
            packs[k] = inputs[k].values_of(raw[k]);
        }
        Pack result;
        for (int j = 0; j < Pack::size; ++j) {
            float values[Inputs];
            for (int k = 0; k < Inputs; ++k) {
                values[k] = packs[k].at[j];
            }
            result.at[j] = function(values, coefficients(j).of);
        }
        y.store_pack(begin, result);
    }
    __device__ void single(std::int64_t i, const Coefficients& coefficients) const {
        float values[Inputs];
        for (int k = 0; k < Inputs; ++k) {
            values[k] = inputs[k].load(i);
        }
        y.store(i, function(values, coefficients.of));
    }
};

// For channels that are innermost and fill packs: a thread keeps its channels' coefficients for
// several rows.
template <int Inputs, class Function>
struct TiledMapBody {
    ChannelMap<Inputs, Function> map;
    ChannelTiles tiles;

    __device__ void operator()(std::int64_t block) const {
        const ChannelTile tile(tiles, block);
        if (tile.row >= tile.end) {
            return;
        }
        typename ChannelMap<Inputs, Function>::Coefficients coefficients[Pack::size];
        prepare(coefficients, tile.first);
        for (std::int64_t row = tile.row; row < tile.end; row += ahead * tile.step) {
            RawPack raw[ahead][Inputs] = {};
            unrolled<ahead>([&](int step) {
                if (row + step * tile.step < tile.end) {
                    map.load(raw[step], (row + step * tile.step) * tiles.channels + tile.first);
                }
            });
            unrolled<ahead>([&](int step) {
                if (row + step * tile.step < tile.end) {
                    map.store(raw[step], (row + step * tile.step) * tiles.channels + tile.first,
                              [&](int j) { return coefficients[j]; });
                }
            });
        }
    }

private:
    static constexpr int ahead = 4 / Inputs;

    template <class Coefficients>
    __device__ void prepare(Coefficients* coefficients, std::int64_t first) const {
        Pack packs[Function::parameters];
        for (int k = 0; k < Function::parameters; ++k) {
            auto* begin = const_cast<float*>(map.parameters[k]);
            packs[k] = Elements(begin, ElementType::f32).load_pack(first);
        }
        for (int j = 0; j < Pack::size; ++j) {
            float loaded[Function::parameters];
            for (int k = 0; k < Function::parameters; ++k) {
                loaded[k] = packs[k].at[j];
            }
            map.function.prepare(loaded, coefficients[j].of);
        }
    }
};

// For any other place of the channels.
template <int Inputs, class Function>
struct PackedMapBody {
    ChannelMap<Inputs, Function> map;
    Channels channels;
    std::int64_t count;

    __device__ void operator()(std::int64_t pack) const {
        const std::int64_t begin = pack * Pack::size;
        if (begin + Pack::size > count) {
            for (std::int64_t i = begin; i < count; ++i) {
                map.single(i, map.coefficients_of(channels.of(i)));
            }
            return;
        }
        RawPack raw[Inputs];
        map.load(raw, begin);
        const auto first = map.coefficients_of(channels.of(begin));
        map.store(raw, begin, [&](int j) {
            return channels.fill_packs() || j == 0 ? first
                                                   : map.coefficients_of(channels.of(begin + j));
        });
    }
};

// Addresses: inputs, parameters (f32), y. Types: those of the inputs, then y's.
template <int Inputs, class Function>
Kernel channel_map(const std::string& name, std::int64_t count, const ChannelPlace& place,
                   const std::array<ElementType, Inputs + 1>& types, Function function) {
    const auto map = [=](std::span<void* const> at) {
        ChannelMap<Inputs, Function> result = {{}, {}, {}, function};
        for (int k = 0; k < Inputs; ++k) {
            result.inputs[k] = Elements(at[k], types[k]);
        }
        for (int k = 0; k < Function::parameters; ++k) {
            result.parameters[k] = floats(at[Inputs + k]);
        }
        result.y = Elements(at[Inputs + Function::parameters], types[Inputs]);
        return result;
    };
    if (place.inner == 1 && fills_packs(place.channels)) {
        constexpr std::int64_t blocks = 1024;
        const ChannelTiles divided =
            channel_tiles(count / place.channels, place.channels, blocks, 1, 8);
        return tiles(name, count == 0 ? 0 : divided.count(), [=](std::span<void* const> at) {
            return TiledMapBody<Inputs, Function>{map(at), divided};
        });
    }
    return each(name, ceiling(count, Pack::size), [=](std::span<void* const> at) {
        return PackedMapBody<Inputs, Function>{map(at), Channels(place), count};
    });
}

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
    return channel_tiles(rows, channels, blocks, 4, rows);
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
