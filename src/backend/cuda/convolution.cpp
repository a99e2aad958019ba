// SPDX-License-Identifier: MIT
#include "backend/cuda/convolution.h"

#include "backend/cuda/kernel_calls.h"
#include "backend/cuda/kernels/elementwise.h"
#include "backend/cuda/kernels/normalization.h"
#include "backend/cuda/lowering.h"

#include <algorithm>

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
            {y, bias, y}};
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

namespace {

// A convolution or a transposed convolution, whose result is the data gradient of a convolution.
// For a transposed one, the problem's x is the layer's y and vice versa.
class ConvolutionLowering : public LayerLowering {
public:
    ConvolutionLowering(const Layer& layer, bool transposed, bool bias)
        : LayerLowering(layer), transposed_(transposed), bias_(bias) {}

    void forward(Lowering& lowering) override {
        format_ = {lowering.element_type(), convolution_order(lowering.execution())};
        std::string apart;
        if (lowering.execution().engine.fusion == Fusion::convolution && !transposed_) {
            FusedResult result = lower_fused_convolution(lowering, layer_, format_);
            if (result.fused == Fused::done) {
                return;
            }
            apart = std::move(result.apart);
        }
        forward_apart(lowering, apart);
    }

    // Adds the bias with a separate call; `apart` says why, if fusion was requested.
    void forward_apart(Lowering& lowering, const std::string& apart) {
        const TensorView x = lowering.value(input(0), format_);
        const TensorView w = lowering.value(input(1), format_);
        const TensorView y = lowering.make_value(output(), format_);
        ConvolutionStep step = step_of(lowering, Pass::forward,
                                       transposed_ ? std::vector{y, w, x} : std::vector{x, w, y});
        std::vector<Call> calls = {std::move(step.call)};
        if (bias_) {
            calls.push_back(add_channel_bias(y, lowering.value(input(2), bias_format())));
        }
        step.text.algorithm = with_reason(std::move(step.text.algorithm), apart);
        lowering.compute(std::move(step.text), std::move(calls));
    }

    void backward_data(Lowering& lowering) override {
        const TensorView w = lowering.value(input(1), format_);
        const TensorView dy = lowering.gradient(output(), format_);
        const TensorView dx = lowering.make_gradient(input(0), format_);
        ConvolutionStep step =
            step_of(lowering, Pass::backward_data,
                    transposed_ ? std::vector{dy, w, dx} : std::vector{dx, w, dy});
        lowering.compute(std::move(step.text), {std::move(step.call)});
    }

    void backward_weights(Lowering& lowering) override {
        StepText text;
        std::vector<Call> calls;
        if (lowering.needs_gradient(input(1))) {
            ConvolutionStep step = weight_step(lowering);
            text = std::move(step.text);
            calls.push_back(std::move(step.call));
        }
        if (bias_ && lowering.needs_gradient(input(2))) {
            const TensorView dy = lowering.gradient(output(), format_);
            const TensorView db = lowering.make_gradient(input(2), bias_format());
            std::ranges::move(channel_sums(lowering, dy, db), std::back_inserter(calls));
        }
        lowering.compute(std::move(text), std::move(calls));
    }

private:
    static Format bias_format() { return {ElementType::f32, Order::rows}; }

    ConvolutionStep weight_step(Lowering& lowering) const {
        const TensorView x = lowering.value(input(0), format_);
        const TensorView dy = lowering.gradient(output(), format_);
        const TensorView dw = lowering.make_gradient(input(1), format_);
        return step_of(lowering, Pass::backward_weights,
                       transposed_ ? std::vector{dy, dw, x} : std::vector{x, dw, dy});
    }

    // Views: the problem's x, w and y.
    ConvolutionStep step_of(Lowering& lowering, Pass pass, std::vector<TensorView> views) const {
        return convolution_step(
            lowering,
            problem_of_pass(lowering.graph(), layer_, pass, format_, lowering.execution()),
            std::move(views));
    }

    bool transposed_;
    bool bias_;
    Format format_;
};

}  // namespace

Made lower(const Layer& layer, const Convolution& op) {
    return std::make_unique<ConvolutionLowering>(layer, false, op.bias);
}

Made lower(const Layer& layer, const TransposedConvolution& op) {
    return std::make_unique<ConvolutionLowering>(layer, true, op.bias);
}

}  // namespace strata::cuda
