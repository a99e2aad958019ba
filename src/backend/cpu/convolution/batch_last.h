// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/batch_last_kernels.h"
#include "backend/cpu/convolution/method.h"

#include <string_view>
#include <vector>

namespace strata::cpu {

// The direct convolution of images whose batch is the fastest dimension, by vectors of images: x, y
// and their gradients are in the order chwn whatever is preferred; the filters are plain. It pays
// off for many images and few channels (Li et al. 2016), when vectors of channels are not full.
// Throws Refusal for more than two spatial axes.
std::unique_ptr<PreparedConvolution> prepare_batch_last(const ConvolutionProblem& problem,
                                                        const OperandOrders& preferred);

namespace batch_last {

std::unique_ptr<PreparedConvolution> prepare_sums(const ConvolutionProblem& problem);
std::unique_ptr<PreparedConvolution> prepare_weights(const ConvolutionProblem& problem);

// The kernels for the widest registers that our loops may use, and their name.
struct NamedKernels {
    const Kernels* kernels = nullptr;
    std::string_view isa;
};
NamedKernels widest_kernels();

inline constexpr OperandOrders orders = {ImageOrder::chwn, FilterOrder::oihw, ImageOrder::chwn};

constexpr Index round_up(Index value, Index multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

// The size of equal portions of `count`, at most `limit` each.
constexpr Index balanced(Index count, Index limit) {
    const Index parts = limit < 1 ? count : (count + limit - 1) / limit;
    return parts < 1 ? 1 : (count + parts - 1) / parts;
}

// Elements [column, column + count) of a row of an image [row][column][image], which may lie
// outside of it, with the images [first, first + used): `lanes` floats for each, zero if there are
// none.
struct RowPart {
    const float* row = nullptr;  // null: all of it is outside
    Index width = 0;
    Index images = 0;
    Index first = 0;
    Index used = 0;
    Index column = 0;
    Index count = 0;
    Index lanes = 0;
};
void pack_row(const RowPart& part, float* to);

}  // namespace batch_last

}  // namespace strata::cpu
