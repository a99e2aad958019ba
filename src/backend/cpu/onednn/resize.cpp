// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/spatial_loops.h"
#include "backend/cpu/onednn/channel_layout.h"
#include "backend/cpu/onednn/layer_lowering.h"

#include <algorithm>
#include <cmath>

namespace strata::cpu {

namespace {

using dnnl::algorithm;
using Forward = dnnl::resampling_forward;
using Backward = dnnl::resampling_backward;

// Whether the library's nearest neighbour, round((i + 0.5) m / n - 0.5) in single precision, is the
// same as ours.
bool is_librarys_nearest(const InterpolationAxis& axis) {
    for (std::int64_t i = 0; i < axis.output; ++i) {
        const float at = (static_cast<float>(i) + 0.5F) * static_cast<float>(axis.input) /
                             static_cast<float>(axis.output) -
                         0.5F;
        if (axis.taps[static_cast<std::size_t>(i)].position != std::llround(at)) {
            return false;
        }
    }
    return true;
}

// The library's linear interpolation supports only half pixels.
bool is_librarys_linear(const Resize& op) {
    const bool several = std::ranges::all_of(op.sizes, [](std::int64_t n) { return n > 1; });
    return op.coordinates == Coordinates::half_pixel ||
           (op.coordinates == Coordinates::pytorch_half_pixel && several);
}

std::optional<algorithm> algorithm_of(const Resize& op, const Tensor& input) {
    if (op.interpolation == Interpolation::linear && is_librarys_linear(op)) {
        return algorithm::resampling_linear;
    }
    if (op.interpolation == Interpolation::nearest &&
        std::ranges::all_of(interpolation_axes(op, input), is_librarys_nearest)) {
        return algorithm::resampling_nearest;
    }
    return std::nullopt;
}

// Uses the library if its coordinates match ours and the batch is not last, otherwise our own loops
// in f32; both keep the layout.
class ResizeLowering : public LayerLowering {
public:
    ResizeLowering(const Layer& layer, const Resize& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const Tensor& input_tensor = lowering.graph().tensors[input(0)].tensor;
        const TensorView x = lowering.shaped_value(input(0));
        x_ = x.desc;
        algorithm_ = is_batch_last(x_) ? std::nullopt : algorithm_of(op_, input_tensor);
        layout_ = channel_layout_of(x_);
        axes_ = weighted_axes(op_, input_tensor);
        if (!algorithm_) {
            return forward_by_loops(lowering);
        }
        forward_ = describe<Forward>(lowering.context(), lowering.forward_kind(), *algorithm_, x_,
                                     any_layout(lowering.extents(output()), type_of(x_)));
        const TensorView y = lowering.make_value(output(), forward_->dst_desc());
        y_ = y.desc;
        lowering.compute<Forward>(*forward_, text_of(x_), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
    }

    // The library's gradients process one element at a time and take up to four times as long as
    // our loops.
    void backward_data(Lowering& lowering) override {
        if (!algorithm_ || type_of(x_) == ElementType::f32) {
            return backward_by_loops(lowering);
        }
        const auto described =
            describe_backward<Backward>(lowering.context(), *forward_, *algorithm_, x_, y_);
        const TensorView dy = lowering.gradient(output(), y_);
        const TensorView dx = lowering.make_gradient(input(0), x_);
        lowering.compute<Backward>(described, text_of(x_),
                                   {{DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_SRC, dx}});
    }

private:
    void forward_by_loops(Lowering& lowering) {
        const TensorView x =
            lowering.value(input(0), layout_.desc(lowering.extents(input(0)), ElementType::f32));
        const TensorView y = lowering.make_value(
            output(), layout_.desc(lowering.extents(output()), ElementType::f32));
        lowering.compute_by_loops(
            text_of(y.desc), loop_call(spatial_sums, {x, y}, axes_, layout_.outer, layout_.inner));
    }

    void backward_by_loops(Lowering& lowering) const {
        const TensorView dy =
            lowering.gradient(output(), layout_.desc(lowering.extents(output()), ElementType::f32));
        const TensorView dx = lowering.make_gradient(
            input(0), layout_.desc(lowering.extents(input(0)), ElementType::f32));
        lowering.compute_by_loops(text_of(dx.desc), loop_call(spatial_sums_gradient, {dy, dx},
                                                              axes_, layout_.outer, layout_.inner));
    }

    const Resize& op_;
    std::optional<algorithm> algorithm_;
    std::optional<Forward::primitive_desc> forward_;
    Desc x_, y_;
    ChannelLayout layout_;
    WeightedAxes axes_;
};

}  // namespace

Made lower(const Layer& layer, const Resize& op) {
    return std::make_unique<ResizeLowering>(layer, op);
}

}  // namespace strata::cpu
