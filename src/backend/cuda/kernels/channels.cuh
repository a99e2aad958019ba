// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/divisor.h"
#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/fold.cuh"
#include "backend/cuda/kernels/normalization.h"

namespace strata::cuda {

// The parameters for the elements of a pack. If channels are innermost and fill packs, the
// parameters are adjacent; if all of a pack's elements belong to one channel, there is one;
// otherwise each element looks up its own.
class Channels {
public:
    explicit Channels(const ChannelPlace& place)
        : inner_(place.inner),
          channels_(place.channels),
          kind_(place.inner == 1 && place.channels % Pack::size == 0 ? Kind::beside
                : place.inner % Pack::size == 0                      ? Kind::same
                                                                     : Kind::apart) {}

    __device__ std::int64_t of(std::int64_t element) const {
        const std::int64_t row = inner_.quotient(element);
        return row - channels_.quotient(row) * channels_.value();
    }
    // For the elements from `begin` on; `first` is the channel of the first.
    __device__ Pack load(const float* parameters, std::int64_t begin, std::int64_t first) const {
        if (kind_ == Kind::beside) {
            return Elements(const_cast<float*>(parameters), ElementType::f32).load_pack(first);
        }
        Pack pack;
        for (int j = 0; j < Pack::size; ++j) {
            pack.at[j] = parameters[kind_ == Kind::same ? first : of(begin + j)];
        }
        return pack;
    }

private:
    enum class Kind { beside, same, apart };

    Divisor inner_;
    Divisor channels_;
    Kind kind_;
};

// Calls single(element) for each element of the last, incomplete pack, or whole(begin) for a whole
// pack.
template <class Whole, class Single>
__device__ void each_pack(std::int64_t pack, std::int64_t count, const Whole& whole,
                          const Single& single) {
    const std::int64_t begin = pack * Pack::size;
    if (begin + Pack::size <= count) {
        whole(begin);
        return;
    }
    for (std::int64_t i = begin; i < count; ++i) {
        single(i);
    }
}

// Folds [rows, channels] over the rows, channel by channel: a faster fold.cuh for the layout in
// which normalisation spends its time. Each thread has a pack of channels and loads several of its
// rows at once. `fixed` inputs are a single row that is the same for all.

template <int Moving, int Fixed, class Fold>
struct ChannelFoldBody {
    Elements moving[Moving];
    Elements fixed[Fixed == 0 ? 1 : Fixed];
    Elements outputs[Fold::width];
    std::int64_t rows;
    std::int64_t channels;
    std::int64_t slices;
    Fold fold;

    template <class Team>
    __device__ void operator()(std::int64_t item, const Team& team) const {
        const std::int64_t packs = channels / Pack::size;
        const std::int64_t slice = item / packs;
        const std::int64_t first = (item - slice * packs) * Pack::size;
        const std::int64_t end = rows * (slice + 1) / slices;
        Carried carried;
        for (int j = 0; j < Pack::size; ++j) {
            fold.start(carried.of[j]);
        }
        Pack same[Fixed == 0 ? 1 : Fixed];
        for (int k = 0; k < Fixed; ++k) {
            same[k] = fixed[k].load_pack(first);
        }
        std::int64_t row = rows * slice / slices + team.index();
        for (; row + (ahead - 1) * team.size() < end; row += ahead * team.size()) {
            RawPack packs_ahead[ahead][Moving];
            for (int step = 0; step < ahead; ++step) {
                load(packs_ahead[step], row + step * team.size(), first);
            }
            for (int step = 0; step < ahead; ++step) {
                add(carried, packs_ahead[step], same, row + step * team.size());
            }
        }
        for (; row < end; row += team.size()) {
            RawPack one[Moving];
            load(one, row, first);
            add(carried, one, same, row);
        }
        combine_and_store(carried, team, slice, first);
    }

private:
    static constexpr int ahead = 4;
    struct Carried {
        float of[Pack::size][Fold::width];
    };

    __device__ void load(RawPack* to, std::int64_t row, std::int64_t first) const {
        for (int k = 0; k < Moving; ++k) {
            to[k] = moving[k].load_raw_pack(row * channels + first);
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
    template <class Team>
    __device__ void combine_and_store(Carried& carried, const Team& team, std::int64_t slice,
                                      std::int64_t first) const {
        for (int j = 0; j < Pack::size; ++j) {
            for (int which = 0; which < Fold::width; ++which) {
                carried.of[j][which] = team.combined(
                    carried.of[j][which],
                    [this, which](float a, float b) { return fold.combine(which, a, b); });
            }
        }
        if (team.index() != 0) {
            return;
        }
        for (int j = 0; j < Pack::size; ++j) {
            store(carried.of[j], slice, first + j);
        }
    }
    __device__ void store(float* carried, std::int64_t slice, std::int64_t channel) const {
        if (slices == 1) {
            fold.finish(carried);
        }
        for (int which = 0; which < Fold::width; ++which) {
            if (slices > 1) {
                const std::int64_t part = slice * Fold::width + which;
                outputs[0].store(part * channels + channel, carried[which]);
            } else {
                outputs[which].store(channel, carried[which]);
            }
        }
    }
};

// Addresses and types: moving inputs, fixed inputs, outputs; as FoldKernels says. Requires:
// fills_packs.
template <int Moving, int Fixed, class Fold>
FoldKernels channel_fold(const std::string& name, std::int64_t rows, std::int64_t channels,
                         const std::array<ElementType, Moving + Fixed + Fold::width>& types,
                         Fold fold) {
    constexpr int inputs = Moving + Fixed;
    const std::int64_t packs = channels / Pack::size;
    const std::int64_t slices = channel_slices(rows, packs);
    const auto make = [=](std::span<void* const> at) {
        ChannelFoldBody<Moving, Fixed, Fold> body = {{}, {}, {}, rows, channels, slices, fold};
        for (int k = 0; k < Moving; ++k) {
            body.moving[k] = Elements(at[k], types[k]);
        }
        for (int k = 0; k < Fixed; ++k) {
            body.fixed[k] = Elements(at[Moving + k], types[Moving + k]);
        }
        for (int k = 0; k < (slices > 1 ? 1 : Fold::width); ++k) {
            body.outputs[k] =
                Elements(at[inputs + k], slices > 1 ? ElementType::f32 : types[inputs + k]);
        }
        return body;
    };
    FoldKernels result = {{columns(name, packs * slices, rows / slices, make)}, 0};
    if (slices > 1) {
        std::array<ElementType, Fold::width> outputs;
        std::copy_n(types.begin() + inputs, Fold::width, outputs.begin());
        result.partials = channels * slices * Fold::width;
        result.kernels.push_back(
            join_kernel(name + "_join", joined_axes({channels}, {{1}}), slices, outputs, fold));
    }
    return result;
}

}  // namespace strata::cuda
