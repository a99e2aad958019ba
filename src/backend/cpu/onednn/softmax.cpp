// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/softmax_loops.h"
#include "backend/cpu/onednn/channel_layout.h"
#include "backend/cpu/onednn/layer_lowering.h"

namespace strata::cpu {

namespace {

// Uses the library along the innermost axis, and our own loops along others, where the library's
// are 40 times slower than memory.
class SoftmaxLowering : public LayerLowering {
public:
    SoftmaxLowering(const Layer& layer, const Softmax& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        TensorView x = lowering.shaped_value(input(0));
        if (is_across_rows(lowering, x.desc)) {
            return forward_by_loops(lowering);
        }
        if (is_batch_last(x.desc)) {
            x = lowering.plain_value(input(0), type_of(x.desc));  // because there are no fast loops
        }
        forward_ = describe<SoftmaxForward>(lowering.context(), lowering.forward_kind(), kind(),
                                            x.desc, x.desc, axis(lowering));
        const TensorView y = lowering.make_value(output(), forward_->dst_desc());
        lowering.compute<SoftmaxForward>(*forward_, text_of(x.desc),
                                         {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
    }

    void backward_data(Lowering& lowering) override {
        if (!forward_) {
            return backward_by_loops(lowering);
        }
        const Desc desc = forward_->dst_desc();
        const auto described = describe_backward<SoftmaxBackward>(
            lowering.context(), *forward_, kind(), desc, desc, desc, axis(lowering));
        const TensorView y = lowering.value(output(), desc);
        const TensorView dy = lowering.gradient(output(), desc);
        const TensorView dx = lowering.make_gradient(input(0), described.diff_src_desc());
        lowering.compute<SoftmaxBackward>(
            described, text_of(desc),
            {{DNNL_ARG_DST, y}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_SRC, dx}});
    }

private:
    dnnl::algorithm kind() const { return softmax_algorithm(op_.logarithm); }

    // Whether other elements are between those along the axis. With channels last there are none,
    // although other axes follow.
    bool is_across_rows(Lowering& lowering, const Desc& desc) const {
        return (is_plain(desc) || is_batch_last(desc)) && shape(lowering).inner > 1;
    }

    AcrossRows shape(Lowering& lowering) const {
        const auto around = extents_around(op_.axis, lowering.extents(input(0)));
        return {around.outer, around.extent, around.inner, op_.logarithm};
    }

    void forward_by_loops(Lowering& lowering) {
        const TensorView x = lowering.plain_value(input(0));
        const TensorView y = lowering.make_value(output(), x.desc);
        lowering.compute_by_loops(text_of(x.desc),
                                  loop_call(softmax_across, {x, y}, shape(lowering)));
    }

    void backward_by_loops(Lowering& lowering) const {
        const TensorView dy = lowering.plain_gradient(output());
        const TensorView y = lowering.value(output(), dy.desc);
        const TensorView dx = lowering.make_gradient(input(0), dy.desc);
        lowering.compute_by_loops(text_of(dy.desc),
                                  loop_call(softmax_across_gradient, {y, dy, dx}, shape(lowering)));
    }

    int axis(Lowering& lowering) const {
        return static_cast<int>(axis_among(op_.axis, lowering.extents(input(0)).size()));
    }

    const Softmax& op_;
    std::optional<SoftmaxForward::primitive_desc> forward_;
};

}  // namespace

Made lower(const Layer& layer, const Softmax& op) {
    return std::make_unique<SoftmaxLowering>(layer, op);
}

}  // namespace strata::cpu
