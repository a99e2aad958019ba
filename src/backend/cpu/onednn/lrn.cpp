// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/layer_lowering.h"

namespace strata::cpu {

namespace {

class LrnLowering : public LayerLowering {
public:
    LrnLowering(const Layer& layer, const Lrn& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.shaped_value(input(0));
        forward_ = describe_lrn(lowering.engine(), lowering.attributes(), lowering.forward_kind(),
                                x.desc, op_.size, alpha(), beta(), k());
        const TensorView y = lowering.make_value(output(), forward_->dst_desc());
        std::vector<std::pair<int, TensorView>> arguments = {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}};
        if (lowering.trains() && forward_->workspace_desc().get_size() > 0) {
            scales_ = lowering.make_transient(forward_->workspace_desc());
            arguments.emplace_back(DNNL_ARG_WORKSPACE, *scales_);
        }
        lowering.compute<dnnl::lrn_forward>(*forward_, text_of(x.desc), std::move(arguments));
    }

    void backward_data(Lowering& lowering) override {
        const TensorView x = lowering.value(input(0), forward_->src_desc());
        const auto described =
            describe_lrn_backward(lowering.engine(), lowering.attributes(), *forward_, x.desc,
                                  x.desc, op_.size, alpha(), beta(), k());
        const TensorView dy = lowering.gradient(output(), described.diff_dst_desc());
        const TensorView dx = lowering.make_gradient(input(0), described.diff_src_desc());
        std::vector<std::pair<int, TensorView>> arguments = {
            {DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_SRC, dx}};
        if (scales_) {
            arguments.emplace_back(DNNL_ARG_WORKSPACE, *scales_);
        }
        lowering.compute<dnnl::lrn_backward>(described, text_of(x.desc), std::move(arguments));
    }

private:
    float alpha() const { return static_cast<float>(op_.alpha); }
    float beta() const { return static_cast<float>(op_.beta); }
    float k() const { return static_cast<float>(op_.k); }

    const Lrn& op_;
    std::optional<dnnl::lrn_forward::primitive_desc> forward_;
    std::optional<TensorView> scales_;
};

}  // namespace

Made lower(const Layer& layer, const Lrn& op) {
    return std::make_unique<LrnLowering>(layer, op);
}

}  // namespace strata::cpu
