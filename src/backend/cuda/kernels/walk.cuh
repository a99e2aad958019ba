// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/strides.h"

namespace strata::cuda {

// The offset of the element with this index, counted along `axes`, in each of the first Tensors.
template <int Tensors>
struct Offsets {
    std::int64_t at[Tensors];
};

template <int Tensors>
__device__ Offsets<Tensors> offsets_of(const Axes& axes, std::int64_t number) {
    Offsets<Tensors> offsets = {};
    for (int axis = axes.rank - 1; axis >= 0; --axis) {
        const std::int64_t rest = axes.extents[axis].quotient(number);
        const std::int64_t index = number - rest * axes.extents[axis].value();
        for (int tensor = 0; tensor < Tensors; ++tensor) {
            offsets.at[tensor] += index * axes.strides[tensor][axis];
        }
        number = rest;
    }
    return offsets;
}

// The offsets of the elements begin, begin + step, begin + 2 step ... Unless more than two axes are
// left, only the first is found by divisions, which take longer than loading the element.
template <int Tensors>
class Walk {
public:
    __device__ Walk(const Axes& axes, std::int64_t begin, std::int64_t step)
        : axes_(axes), number_(begin), step_(step), at_(offsets_of<Tensors>(axes, begin)) {
        if (axes.rank == 0) {
            return;
        }
        const int last = axes.rank - 1;
        const int outer = last == 0 ? 0 : last - 1;
        const Divisor& extent = axes.extents[last];
        const std::int64_t rows = last == 0 ? 0 : extent.quotient(step);
        extent_ = last == 0 ? endless : extent.value();
        advance_ = step - rows * extent.value();
        within_ = begin - extent.quotient(begin) * extent.value();
        for (int tensor = 0; tensor < Tensors; ++tensor) {
            const std::int64_t stride = axes.strides[tensor][last];
            const std::int64_t row = axes.strides[tensor][outer];
            jump_.at[tensor] = rows * row + advance_ * stride;
            wrap_.at[tensor] = row - extent.value() * stride;
        }
    }

    __device__ const Offsets<Tensors>& at() const { return at_; }
    __device__ void go_on() {
        if (axes_.rank > 2) {
            number_ += step_;
            at_ = offsets_of<Tensors>(axes_, number_);
            return;
        }
        within_ += advance_;
        const bool wraps = within_ >= extent_;
        within_ -= wraps ? extent_ : 0;
        for (int tensor = 0; tensor < Tensors; ++tensor) {
            at_.at[tensor] += jump_.at[tensor] + (wraps ? wrap_.at[tensor] : 0);
        }
    }

private:
    static constexpr std::int64_t endless = std::int64_t{1} << 62;

    const Axes& axes_;
    std::int64_t number_;
    std::int64_t step_;
    Offsets<Tensors> at_;
    Offsets<Tensors> jump_ = {};  // a step's, and what to add if it leaves the innermost axis
    Offsets<Tensors> wrap_ = {};
    std::int64_t within_ = 0;
    std::int64_t advance_ = 0;
    std::int64_t extent_ = endless;
};

}  // namespace strata::cuda
