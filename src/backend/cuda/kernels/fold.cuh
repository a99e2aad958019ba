// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/fold.h"
#include "backend/cuda/kernels/launch.cuh"
#include "backend/cuda/kernels/walk.cuh"

#include <array>

namespace strata::cuda {

// A fold is a struct with
//   static constexpr int width;                                  how many values it carries
//   void start(float* carried) const;
//   void add(float* carried, const float* values, int64 number) const;   the number-th element
//   float combine(int which, float a, float b) const;            of two parts
//   void finish(float* carried) const;                           carried into results
// all host and device.

// Shared by every fold that carries only sums.
template <int Sums>
struct SumsFold {
    static constexpr int width = Sums;
    __device__ void start(float* carried) const {
        for (int which = 0; which < Sums; ++which) {
            carried[which] = 0;
        }
    }
    __device__ float combine(int, float a, float b) const { return a + b; }
    __device__ void finish(float*) const {}
};

// The sum of the first input.
struct SumFold : SumsFold<1> {
    __device__ void add(float* carried, const float* values, std::int64_t) const {
        carried[0] += values[0];
    }
};

// Folds the elements [slice / slices, (slice + 1) / slices) of one result. A thread loads several
// of them at once: with one load in flight, threads would wait for memory.
template <int Inputs, class Fold>
struct FoldBody {
    Elements inputs[Inputs];
    Elements outputs[Fold::width];
    Axes kept;    // strides of the inputs, then of the outputs
    Axes folded;  // strides of the inputs
    std::int64_t slices;
    Fold fold;

    template <class Team>
    __device__ void operator()(std::int64_t item, const Team& team) const {
        const std::int64_t slice = item / kept.count;
        const std::int64_t result = item - slice * kept.count;
        const auto base = offsets_of<Inputs + 1>(kept, result);
        const std::int64_t end = folded.count * (slice + 1) / slices;
        float carried[Fold::width];
        fold.start(carried);
        std::int64_t i = folded.count * slice / slices + team.index();
        for (; i + (ahead - 1) * team.size() < end; i += ahead * team.size()) {
            RawElement raw[ahead][Inputs];
            for (int step = 0; step < ahead; ++step) {
                load(raw[step], base, i + step * team.size());
            }
            for (int step = 0; step < ahead; ++step) {
                add(carried, raw[step], i + step * team.size());
            }
        }
        for (; i < end; i += team.size()) {
            RawElement raw[Inputs];
            load(raw, base, i);
            add(carried, raw, i);
        }
        combine_and_store(carried, team, slice, result, base.at[Inputs]);
    }

private:
    static constexpr int ahead = 4;

    __device__ void load(RawElement* raw, const Offsets<Inputs + 1>& base, std::int64_t i) const {
        const auto offsets = offsets_of<Inputs>(folded, i);
        for (int k = 0; k < Inputs; ++k) {
            raw[k] = inputs[k].load_raw(base.at[k] + offsets.at[k]);
        }
    }
    __device__ void add(float* carried, const RawElement* raw, std::int64_t i) const {
        float values[Inputs];
        for (int k = 0; k < Inputs; ++k) {
            values[k] = inputs[k].value_of(raw[k]);
        }
        fold.add(carried, values, i);
    }
    template <class Team>
    __device__ void combine_and_store(float* carried, const Team& team, std::int64_t slice,
                                      std::int64_t result, std::int64_t place) const {
        for (int which = 0; which < Fold::width; ++which) {
            carried[which] = team.combined(carried[which], [this, which](float a, float b) {
                return fold.combine(which, a, b);
            });
        }
        if (team.index() != 0) {
            return;
        }
        if (slices > 1) {
            for (int which = 0; which < Fold::width; ++which) {
                const std::int64_t part = slice * Fold::width + which;
                outputs[0].store(part * kept.count + result, carried[which]);
            }
            return;
        }
        fold.finish(carried);
        for (int which = 0; which < Fold::width; ++which) {
            outputs[which].store(place, carried[which]);
        }
    }
};

// Folds the partial results of the slices.
template <class Fold>
struct JoinBody {
    Elements parts;
    Elements outputs[Fold::width];
    Axes kept;  // strides of the outputs
    std::int64_t slices;
    Fold fold;

    template <class Team>
    __device__ void operator()(std::int64_t result, const Team& team) const {
        float carried[Fold::width];
        for (int which = 0; which < Fold::width; ++which) {
            float value = part(team.index() < slices ? team.index() : 0, which, result);
            for (std::int64_t s = team.index() + team.size(); s < slices; s += team.size()) {
                value = fold.combine(which, value, part(s, which, result));
            }
            carried[which] = value;
        }
        // A team beyond the slices repeats the first part, which must not count twice.
        for (int which = 0; which < Fold::width; ++which) {
            float neutral[Fold::width];
            fold.start(neutral);
            const float own = team.index() < slices ? carried[which] : neutral[which];
            carried[which] = team.combined(
                own, [this, which](float a, float b) { return fold.combine(which, a, b); });
        }
        if (team.index() == 0) {
            fold.finish(carried);
            const std::int64_t place = offsets_of<1>(kept, result).at[0];
            for (int which = 0; which < Fold::width; ++which) {
                outputs[which].store(place, carried[which]);
            }
        }
    }

private:
    __device__ float part(std::int64_t slice, int which, std::int64_t result) const {
        return parts.load((slice * Fold::width + which) * kept.count + result);
    }
};

template <int Inputs, class Fold>
Kernel fold_kernel(const std::string& name, const FoldAxes& axes, std::int64_t slices,
                   const std::array<ElementType, Inputs + Fold::width>& types, Fold fold) {
    const auto make = [=](std::span<void* const> at) {
        FoldBody<Inputs, Fold> body = {{}, {}, axes.kept, axes.folded, slices, fold};
        for (int k = 0; k < Inputs; ++k) {
            body.inputs[k] = Elements(at[k], types[k]);
        }
        for (int k = 0; k < (slices > 1 ? 1 : Fold::width); ++k) {
            body.outputs[k] =
                Elements(at[Inputs + k], slices > 1 ? ElementType::f32 : types[Inputs + k]);
        }
        return body;
    };
    const std::int64_t items = axes.kept.count * slices;
    const std::int64_t length = axes.folded.count / slices;
    return axes.is_contiguous ? rows(name, items, length, make)
                              : columns(name, items, length, make);
}

// Folds the partial results of the slices, [slices, width, results], into results. Addresses:
// parts, outputs.
template <class Fold>
Kernel join_kernel(const std::string& name, const Axes& results, std::int64_t slices,
                   const std::array<ElementType, Fold::width>& types, Fold fold) {
    return columns(name, results.count, slices, [=](std::span<void* const> at) {
        JoinBody<Fold> body = {Elements(at[0], ElementType::f32), {}, results, slices, fold};
        for (int k = 0; k < Fold::width; ++k) {
            body.outputs[k] = Elements(at[1 + k], types[k]);
        }
        return body;
    });
}

// `types`: those of the inputs, then those of the outputs.
template <int Inputs, class Fold>
FoldKernels fold_kernels(const std::string& name, const FoldShape& shape,
                         const std::array<ElementType, Inputs + Fold::width>& types, Fold fold) {
    const FoldAxes axes = fold_axes(shape);
    const std::int64_t slices = fold_slices(axes);
    FoldKernels result = {{fold_kernel<Inputs>(name, axes, slices, types, fold)}, 0};
    if (slices > 1) {
        std::array<ElementType, Fold::width> outputs;
        std::copy_n(types.begin() + Inputs, Fold::width, outputs.begin());
        result.partials = axes.kept.count * slices * Fold::width;
        result.kernels.push_back(join_kernel(name + "_join", axes.results, slices, outputs, fold));
    }
    return result;
}

}  // namespace strata::cuda
