// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/launch.cuh"

#include <array>

namespace strata::cuda {

// Applies function(index, inputs, outputs), on floats, to each element of tensors with equal
// layout. A thread moves a pack at a time, as full memory bandwidth requires.
template <int Inputs, int Outputs, class Function>
struct MapBody {
    Elements inputs[Inputs];
    Elements outputs[Outputs];
    std::int64_t count;
    Function function;

    __device__ void operator()(std::int64_t pack) const {
        const std::int64_t begin = pack * Pack::size;
        if (begin + Pack::size <= count) {
            whole(begin);
        } else {
            for (std::int64_t i = begin; i < count; ++i) {
                single(i);
            }
        }
    }

private:
    __device__ void whole(std::int64_t begin) const {
        RawPack raw[Inputs];
        Pack in[Inputs];
        Pack out[Outputs];
        for (int k = 0; k < Inputs; ++k) {
            raw[k] = inputs[k].load_raw_pack(begin);
        }
        for (int k = 0; k < Inputs; ++k) {
            in[k] = inputs[k].values_of(raw[k]);
        }
        for (int j = 0; j < Pack::size; ++j) {
            float from[Inputs];
            float to[Outputs];
            for (int k = 0; k < Inputs; ++k) {
                from[k] = in[k].at[j];
            }
            function(begin + j, from, to);
            for (int k = 0; k < Outputs; ++k) {
                out[k].at[j] = to[k];
            }
        }
        for (int k = 0; k < Outputs; ++k) {
            outputs[k].store_pack(begin, out[k]);
        }
    }
    __device__ void single(std::int64_t i) const {
        float from[Inputs];
        float to[Outputs];
        for (int k = 0; k < Inputs; ++k) {
            from[k] = inputs[k].load(i);
        }
        function(i, from, to);
        for (int k = 0; k < Outputs; ++k) {
            outputs[k].store(i, to[k]);
        }
    }
};

// `types` and addresses: those of the inputs, then those of the outputs.
template <int Inputs, int Outputs, class Function>
Kernel map(std::string name, std::int64_t count,
           const std::array<ElementType, Inputs + Outputs>& types, Function function) {
    const auto make = [=](std::span<void* const> at) {
        MapBody<Inputs, Outputs, Function> body{{}, {}, count, function};
        for (int k = 0; k < Inputs; ++k) {
            body.inputs[k] = Elements(at[k], types[k]);
        }
        for (int k = 0; k < Outputs; ++k) {
            body.outputs[k] = Elements(at[Inputs + k], types[Inputs + k]);
        }
        return body;
    };
    Kernel kernel = each(std::move(name), ceiling(count, Pack::size), make);
    return kernel;
}

}  // namespace strata::cuda
