// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/channels.cuh"
#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/launch.cuh"

namespace strata::cuda {

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

}  // namespace strata::cuda
