// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/channel_layout.h"
#include "backend/cpu/onednn/layer_lowering.h"

namespace strata::cpu {

namespace {

class SoftmaxLowering : public LayerLowering {
public:
    SoftmaxLowering(const Layer& layer, const Softmax& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        TensorView x = lowering.shaped_value(input(0));
        if (is_batch_last(x.desc)) {
            x = lowering.plain_value(input(0), type_of(x.desc));  // for want of fast loops
        }
        forward_ = describe<SoftmaxForward>(lowering.engine(), lowering.attributes(),
                                            lowering.forward_kind(), kind(), x.desc, x.desc,
                                            axis(lowering));
        const TensorView y = lowering.make_value(output(), forward_->dst_desc());
        lowering.compute<SoftmaxForward>(*forward_, text_of(x.desc),
                                         {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
    }

    void backward_data(Lowering& lowering) override {
        const Desc desc = forward_->dst_desc();
        const auto described =
            describe_backward<SoftmaxBackward>(lowering.engine(), lowering.attributes(), *forward_,
                                               kind(), desc, desc, desc, axis(lowering));
        const TensorView y = lowering.value(output(), desc);
        const TensorView dy = lowering.gradient(output(), desc);
        const TensorView dx = lowering.make_gradient(input(0), described.diff_src_desc());
        lowering.compute<SoftmaxBackward>(
            described, text_of(desc),
            {{DNNL_ARG_DST, y}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_SRC, dx}});
    }

private:
    dnnl::algorithm kind() const { return softmax_algorithm(op_.logarithm); }

    int axis(Lowering& lowering) const {
        const auto rank = static_cast<std::int64_t>(lowering.extents(input(0)).size());
        return static_cast<int>(op_.axis < 0 ? op_.axis + rank : op_.axis);
    }

    const Softmax& op_;
    std::optional<SoftmaxForward::primitive_desc> forward_;
};

}  // namespace

Made lower(const Layer& layer, const Softmax& op) {
    return std::make_unique<SoftmaxLowering>(layer, op);
}

}  // namespace strata::cpu
