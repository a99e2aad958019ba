// SPDX-License-Identifier: MIT
#include "backend/cuda/channel_bias.h"

#include "backend/cuda/fold_calls.h"
#include "backend/cuda/kernels/channels.h"
#include "backend/cuda/kernels/elementwise.h"

namespace strata::cuda {

namespace {

// An image as batch, channels and positions, with the strides of its order.
struct ImageStrides {
    Dims extents;
    Dims strides;
};

ImageStrides image_strides(const TensorView& view) {
    const std::int64_t channels = view.dims[1];
    const std::int64_t positions = product(std::span(view.dims).subspan(2));
    const bool is_last = view.format.order == Order::channels_last;
    return {{view.dims[0], channels, positions},
            {channels * positions, is_last ? 1 : positions, is_last ? channels : 1}};
}

}  // namespace

Call add_channel_bias(const TensorView& y, const TensorView& bias) {
    return {channel_bias(product(y.dims), channel_place(y.dims, y.format.order), y.format.type),
            {y, bias}};
}

std::vector<Call> channel_sums(Lowering& lowering, const TensorView& dy, const TensorView& sums) {
    const ImageStrides image = image_strides(dy);
    const FoldShape shape = {.extents = image.extents,
                             .folded = {true, false, true},
                             .inputs = {image.strides},
                             .output = {0, 1, 0}};
    const std::array types = {dy.format.type, sums.format.type};
    const std::int64_t channels = dy.dims[1];
    const bool is_last = dy.format.order == Order::channels_last && fills_packs(channels);
    return fold_calls(
        lowering,
        is_last ? row_sums("strata:bias_gradient", product(dy.dims) / channels, channels, types)
                : sum_fold("strata:bias_gradient", shape, types),
        {dy}, {sums});
}

}  // namespace strata::cuda
