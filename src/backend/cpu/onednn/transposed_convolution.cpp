// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/channel_layout.h"
#include "backend/cpu/onednn/choose.h"
#include "backend/cpu/onednn/convolution_choice.h"
#include "backend/cpu/onednn/layer_lowering.h"
#include "op/window.h"

namespace strata::cpu {

namespace {

using Forward = dnnl::deconvolution_forward;
using BackwardData = dnnl::deconvolution_backward_data;
using BackwardWeights = dnnl::deconvolution_backward_weights;

// The library orders the weights output channels first, the network input channels first: the same
// memory, seen with these two axes exchanged.
class TransposedConvolutionLowering : public LayerLowering {
public:
    TransposedConvolutionLowering(const Layer& layer, const TransposedConvolution& op)
        : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        prepare(lowering);
        const auto described = forward_.emplace(describe_forward(lowering));
        place_master(lowering);
        const TensorView x = lowering.value(input(0), described.src_desc());
        const TensorView weight = library_weight(lowering, described.weights_desc());
        Arguments arguments = {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, weight}};
        if (op_.bias) {
            arguments.emplace_back(DNNL_ARG_BIAS, lowering.value(input(2), bias_));
        }
        const TensorView y = lowering.make_value(output(), described.dst_desc());
        arguments.emplace_back(DNNL_ARG_DST, y);
        lowering.compute<Forward>(described, text_of(x.desc, y.desc), std::move(arguments),
                                  "direct", choice_of_direct(lowering, layer_, Pass::forward));
    }

    void backward_data(Lowering& lowering) override {
        const auto described = describe_data(lowering);
        const TensorView dy = lowering.gradient(output(), described.diff_dst_desc());
        const TensorView weight = library_weight(lowering, described.weights_desc());
        const TensorView dx = lowering.make_gradient(input(0), described.diff_src_desc());
        lowering.compute<BackwardData>(
            described, text_of(dy.desc, dx.desc),
            {{DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_WEIGHTS, weight}, {DNNL_ARG_DIFF_SRC, dx}},
            "direct", choice_of_direct(lowering, layer_, Pass::backward_data));
    }

    void backward_weights(Lowering& lowering) override {
        const auto described = describe_weights(lowering, present_weight(lowering));
        const TensorView x = lowering.value(input(0), described.src_desc());
        const TensorView dy = lowering.gradient(output(), described.diff_dst_desc());
        const Desc desc = described.diff_weights_desc();
        const TensorView dw = lowering.make_gradient(input(1), exchanged(desc));
        Arguments arguments = {
            {DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_WEIGHTS, {dw.buffer, desc}}};
        if (op_.bias) {
            arguments.emplace_back(DNNL_ARG_DIFF_BIAS, lowering.make_gradient(input(2), bias_));
        }
        lowering.compute<BackwardWeights>(
            described, text_of(x.desc, dy.desc), std::move(arguments), "direct",
            choice_of_direct(lowering, layer_, Pass::backward_weights));
    }

private:
    void prepare(Lowering& lowering) {
        window_ = window_of(op_, lowering.graph().tensors[input(0)].tensor);
        for (std::size_t axis = 0; axis < window_.kernel.size(); ++axis) {
            --window_.dilation[axis];  // the library counts the gaps
            window_.pad_end[axis] -= op_.output_pad.empty() ? 0 : op_.output_pad[axis];
        }
        weight_dims_ = lowering.extents(input(1));
        if (op_.groups > 1) {
            weight_dims_[0] /= op_.groups;
            weight_dims_.insert(weight_dims_.begin(), op_.groups);
        }
        std::swap(weight_dims_[outputs_axis()], weight_dims_[outputs_axis() + 1]);
        const ElementType type = lowering.element_type();
        // With the batch last, the library has only slow loops: use its preferred layout and a
        // reorder.
        const ImageLayout asked = lowering.execution().engine.image_layout;
        const ImageLayout layout =
            asked == ImageLayout::batch_last ? ImageLayout::automatic : asked;
        x_ = asked_layout(layout, lowering.extents(input(0)), type);
        y_ = asked_layout(layout, lowering.extents(output()), type);
        weight_ = any_layout(weight_dims_, type);
        bias_ = op_.bias ? plain(lowering.extents(input(2)), ElementType::f32) : Desc();
    }

    std::size_t outputs_axis() const { return op_.groups > 1 ? 1 : 0; }

    // The library's view of weights as the network's, and vice versa.
    Desc exchanged(const Desc& desc) const {
        std::vector<int> axes(weight_dims_.size());
        for (std::size_t i = 0; i < axes.size(); ++i) {
            axes[i] = static_cast<int>(i);
        }
        std::swap(axes[outputs_axis()], axes[outputs_axis() + 1]);
        return desc.permute_axes(axes);
    }

    TensorView library_weight(Lowering& lowering, const Desc& wanted) const {
        return {lowering.value(input(1), exchanged(wanted)).buffer, wanted};
    }

    // The present layout of the weights, as the library sees it; any layout if they are stored
    // without their groups axis.
    Desc present_weight(Lowering& lowering) const {
        const Desc present = lowering.value(input(1)).desc;
        return dims_of(present).size() == weight_dims_.size() ? exchanged(present) : any_weight();
    }

    // As for a convolution: the masters of a bf16 run have the layout of their gradients.
    void place_master(Lowering& lowering) const {
        if (lowering.trains() && lowering.element_type() != ElementType::f32) {
            const auto described = describe_weights(lowering, any_weight());
            lowering.value(input(1), exchanged(described.diff_weights_desc()));
        }
    }

    // Weight gradients are f32 even if activations are bf16, as the update requires.
    Desc any_weight() const { return any_layout(weight_dims_, ElementType::f32); }

    Forward::primitive_desc describe_forward(Lowering& lowering) const {
        return describe<Forward>(lowering.context(), lowering.forward_kind(),
                                 dnnl::algorithm::deconvolution_direct, x_, weight_, bias_, y_,
                                 window_.stride, window_.dilation, window_.pad_begin,
                                 window_.pad_end);
    }

    BackwardData::primitive_desc describe_data(Lowering& lowering) const {
        const auto with = [&](const Desc& dx) {
            return describe_backward<BackwardData>(
                lowering.context(), *forward_, dnnl::algorithm::deconvolution_direct, dx, weight_,
                y_, window_.stride, window_.dilation, window_.pad_begin, window_.pad_end);
        };
        return prefer_layout(x_, lowering.shaped_value(input(0)).desc, with,
                             [](const auto& described) { return described.diff_src_desc(); });
    }

    BackwardWeights::primitive_desc describe_weights(Lowering& lowering,
                                                     const Desc& present) const {
        const auto with = [&](const Desc& dw) {
            return describe_backward<BackwardWeights>(
                lowering.context(), *forward_, dnnl::algorithm::deconvolution_direct,
                forward_->src_desc(), dw, bias_, y_, window_.stride, window_.dilation,
                window_.pad_begin, window_.pad_end);
        };
        return prefer_layout(any_weight(), present, with,
                             [](const auto& described) { return described.diff_weights_desc(); });
    }

    const TransposedConvolution& op_;
    Window window_;
    dnnl::memory::dims weight_dims_;
    Desc x_, weight_, bias_, y_;
    std::optional<Forward::primitive_desc> forward_;
};

}  // namespace

Made lower(const Layer& layer, const TransposedConvolution& op) {
    return std::make_unique<TransposedConvolutionLowering>(layer, op);
}

}  // namespace strata::cpu
