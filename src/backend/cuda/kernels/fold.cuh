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

// Where a fold's results go: to the outputs, or, of slices that are joined later, to partial
// results [results, width, slices].
template <class Fold>
struct FoldOutputs {
    Elements at[Fold::width];  // the first is that of the partial results
    std::int64_t slices;
    bool is_partial;

    __device__ void store(const Fold& fold, float* carried, std::int64_t slice, std::int64_t result,
                          std::int64_t place) const {
        if (is_partial) {
            for (int which = 0; which < Fold::width; ++which) {
                at[0].store((result * Fold::width + which) * slices + slice, carried[which]);
            }
            return;
        }
        fold.finish(carried);
        for (int which = 0; which < Fold::width; ++which) {
            at[which].store(place, carried[which]);
        }
    }
};

// Folds the elements [slice / slices, (slice + 1) / slices) of one result. A thread loads several
// of them at once: with one load in flight, threads would wait for memory.
template <int Inputs, class Fold>
struct FoldBody {
    Elements inputs[Inputs];
    FoldOutputs<Fold> outputs;
    Axes kept;    // strides of the inputs, then of the outputs
    Axes folded;  // strides of the inputs
    Fold fold;

    template <class Team>
    __device__ void operator()(std::int64_t item, const Team& team) const {
        const std::int64_t slice = item / kept.count;
        const std::int64_t result = item - slice * kept.count;
        const auto base = offsets_of<Inputs + 1>(kept, result);
        const std::int64_t end = folded.count * (slice + 1) / outputs.slices;
        std::int64_t i = folded.count * slice / outputs.slices + team.index();
        float carried[Fold::width];
        fold.start(carried);
        Walk<Inputs> walk(folded, i, team.size());
        for (; i < end; i += ahead * team.size()) {
            RawElement raw[ahead][Inputs] = {};
            unrolled<ahead>([&](int step) {
                if (i + step * team.size() < end) {
                    load(raw[step], base, walk.at());
                }
                walk.go_on();
            });
            unrolled<ahead>([&](int step) {
                if (i + step * team.size() < end) {
                    add(carried, raw[step], i + step * team.size());
                }
            });
        }
        for (int which = 0; which < Fold::width; ++which) {
            carried[which] = team.combined(carried[which], [this, which](float a, float b) {
                return fold.combine(which, a, b);
            });
        }
        if (team.index() == 0) {
            outputs.store(fold, carried, slice, result, base.at[Inputs]);
        }
    }

private:
    static constexpr int ahead = Inputs == 1 ? 8 : 4;

    __device__ void load(RawElement* raw, const Offsets<Inputs + 1>& base,
                         const Offsets<Inputs>& offsets) const {
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
};

// Folds the partial results of one result's slices; every thread of the team gets them.
template <class Fold, class Team>
__device__ void join(const Fold& fold, const float* parts, std::int64_t slices, std::int64_t result,
                     const Team& team, float* carried) {
    fold.start(carried);
    for (std::int64_t slice = team.index(); slice < slices; slice += team.size()) {
        for (int which = 0; which < Fold::width; ++which) {
            carried[which] = fold.combine(which, carried[which],
                                          parts[(result * Fold::width + which) * slices + slice]);
        }
    }
    for (int which = 0; which < Fold::width; ++which) {
        carried[which] = team.combined(
            carried[which], [&fold, which](float a, float b) { return fold.combine(which, a, b); });
    }
}

template <class Fold>
struct JoinBody {
    const float* parts;
    FoldOutputs<Fold> outputs;
    Axes kept;  // strides of the outputs
    std::int64_t slices;
    Fold fold;

    template <class Team>
    __device__ void operator()(std::int64_t result, const Team& team) const {
        float carried[Fold::width];
        join(fold, parts, slices, result, team, carried);
        if (team.index() == 0) {
            outputs.store(fold, carried, 0, result, offsets_of<1>(kept, result).at[0]);
        }
    }
};

// The outputs at addresses of these types; or the partial results at the first address.
template <class Fold>
FoldOutputs<Fold> fold_outputs(void* const* at, const ElementType* types, std::int64_t slices,
                               bool is_partial) {
    FoldOutputs<Fold> outputs = {{}, slices, is_partial};
    for (int k = 0; k < (is_partial ? 1 : Fold::width); ++k) {
        outputs.at[k] = Elements(at[k], is_partial ? ElementType::f32 : types[k]);
    }
    return outputs;
}

template <int Inputs, class Fold>
Kernel fold_kernel(const std::string& name, const FoldAxes& axes, std::int64_t slices,
                   const std::array<ElementType, Inputs + Fold::width>& types, Fold fold,
                   bool is_partial) {
    const auto make = [=](std::span<void* const> at) {
        FoldBody<Inputs, Fold> body = {
            {},
            fold_outputs<Fold>(at.data() + Inputs, types.data() + Inputs, slices, is_partial),
            axes.kept,
            axes.folded,
            fold};
        for (int k = 0; k < Inputs; ++k) {
            body.inputs[k] = Elements(at[k], types[k]);
        }
        return body;
    };
    const std::int64_t items = axes.kept.count * slices;
    const std::int64_t length = axes.folded.count / slices;
    return axes.is_contiguous ? rows<threads_of_each>(name, items, length, make)
                              : columns(name, items, length, make);
}

// Folds the partial results of the slices into results. Addresses: parts, outputs.
template <class Fold>
Kernel join_kernel(const std::string& name, const Axes& results, std::int64_t slices,
                   const std::array<ElementType, Fold::width>& types, Fold fold) {
    return rows<threads_of_each>(name, results.count, slices, [=](std::span<void* const> at) {
        return JoinBody<Fold>{floats(at[0]),
                              fold_outputs<Fold>(at.data() + 1, types.data(), 1, false), results,
                              slices, fold};
    });
}

// Only the partial results. Addresses: inputs, parts. `types`: those of the inputs.
template <int Inputs, class Fold>
FoldParts fold_parts(const std::string& name, const FoldShape& shape,
                     const std::array<ElementType, Inputs>& types, Fold fold) {
    const FoldAxes axes = fold_axes(shape);
    const std::int64_t slices = fold_slices(axes);
    std::array<ElementType, Inputs + Fold::width> all = {};
    std::ranges::copy(types, all.begin());
    return {fold_kernel<Inputs>(name, axes, slices, all, fold, true),
            axes.kept.count * slices * Fold::width, slices};
}

// `types`: those of the inputs, then those of the outputs.
template <int Inputs, class Fold>
FoldKernels fold_kernels(const std::string& name, const FoldShape& shape,
                         const std::array<ElementType, Inputs + Fold::width>& types, Fold fold) {
    const FoldAxes axes = fold_axes(shape);
    const std::int64_t slices = fold_slices(axes);
    FoldKernels result = {{fold_kernel<Inputs>(name, axes, slices, types, fold, slices > 1)}, 0};
    if (slices > 1) {
        std::array<ElementType, Fold::width> outputs;
        std::copy_n(types.begin() + Inputs, Fold::width, outputs.begin());
        result.partials = axes.kept.count * slices * Fold::width;
        result.kernels.push_back(join_kernel(name + "_join", axes.results, slices, outputs, fold));
    }
    return result;
}

}  // namespace strata::cuda
