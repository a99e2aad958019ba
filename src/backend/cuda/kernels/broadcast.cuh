// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/launch.cuh"
#include "backend/cuda/kernels/walk.cuh"

#include <algorithm>
#include <array>

namespace strata::cuda {

// Like MapBody (map.cuh), with inputs that may be broadcast to the output's extents. A thread
// divides indices once for its pack, not once for each element.
template <int Inputs, class Function>
struct BroadcastMapBody {
    Elements inputs[Inputs];
    bool is_whole[Inputs];  // not broadcast: element i is that of output i
    Elements y;
    Axes axes;  // strides of the inputs; the output is dense
    Function function;

    __device__ void operator()(std::int64_t pack) const {
        const std::int64_t begin = pack * Pack::size;
        if (begin + Pack::size <= axes.count) {
            whole(begin);
            return;
        }
        for (std::int64_t i = begin; i < axes.count; ++i) {
            const auto offsets = offsets_of<Inputs>(axes, i);
            float from[Inputs];
            for (int k = 0; k < Inputs; ++k) {
                from[k] = inputs[k].load(offsets.at[k]);
            }
            float to;
            function(i, from, &to);
            y.store(i, to);
        }
    }

private:
    __device__ void whole(std::int64_t begin) const {
        RawPack raw[Inputs] = {};
        unrolled<Inputs>([&](int k) {
            if (is_whole[k]) {
                raw[k] = inputs[k].load_raw_pack(begin);
            }
        });
        const auto offsets = offsets_of<Inputs>(axes, begin);
        Pack in[Inputs];
        unrolled<Inputs>([&](int k) {
            in[k] = is_whole[k] ? inputs[k].values_of(raw[k]) : broadcast(k, begin, offsets.at[k]);
        });
        Pack out;
        unrolled<Pack::size>([&](int j) {
            float from[Inputs];
            for (int k = 0; k < Inputs; ++k) {
                from[k] = in[k].at[j];
            }
            function(begin + j, from, &out.at[j]);
        });
        y.store_pack(begin, out);
    }
    // An input's elements for the pack; `offset` is that of the first.
    __device__ Pack broadcast(int input, std::int64_t begin, std::int64_t offset) const {
        const int last = axes.rank - 1;
        const Divisor extent = last < 0 ? Divisor() : axes.extents[last];
        const std::int64_t stride = last < 0 ? 0 : axes.strides[input][last];
        std::int64_t left = (extent.quotient(begin) + 1) * extent.value() - begin;
        const Elements& x = inputs[input];
        if (left >= Pack::size && stride == 1 && offset % Pack::size == 0) {
            return x.load_pack(offset);
        }
        Pack pack;
        if (left >= Pack::size && stride == 0) {
            const float value = x.load(offset);
            for (int j = 0; j < Pack::size; ++j) {
                pack.at[j] = value;
            }
            return pack;
        }
        unrolled<Pack::size>([&](int j) {
            if (left == 0) {
                offset = offset_of(input, begin + j);
                left = extent.value();
            }
            pack.at[j] = x.load(offset);
            offset += stride;
            --left;
        });
        return pack;
    }
    __device__ std::int64_t offset_of(int input, std::int64_t number) const {
        std::int64_t offset = 0;
        for (int axis = axes.rank - 1; axis >= 0; --axis) {
            const std::int64_t rest = axes.extents[axis].quotient(number);
            offset += (number - rest * axes.extents[axis].value()) * axes.strides[input][axis];
            number = rest;
        }
        return offset;
    }
};

// function(index, inputs, output), on floats. Strides, types and addresses: those of the inputs,
// then the output's, which is dense.
template <int Inputs, class Function>
Kernel broadcast_map(std::string name, const Dims& extents,
                     const std::array<Dims, Inputs + 1>& strides,
                     const std::array<ElementType, Inputs + 1>& types, Function function) {
    const Axes axes = sorted_axes(extents, {strides.begin(), strides.end()});
    const auto make = [=](std::span<void* const> at) {
        BroadcastMapBody<Inputs, Function> body = {
            {}, {}, Elements(at[Inputs], types[Inputs]), axes, function};
        for (int k = 0; k < Inputs; ++k) {
            body.inputs[k] = Elements(at[k], types[k]);
            body.is_whole[k] = std::ranges::equal(axes.strides[k], axes.strides[Inputs]);
        }
        return body;
    };
    return each(std::move(name), ceiling(axes.count, Pack::size), make);
}

}  // namespace strata::cuda
