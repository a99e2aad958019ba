// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/lrn_loops.h"
#include "backend/cpu/onednn/channel_layout.h"
#include "backend/cpu/onednn/choose.h"
#include "backend/cpu/onednn/layer_lowering.h"

namespace strata::cpu {

namespace {

class LrnLowering : public LayerLowering {
public:
    LrnLowering(const Layer& layer, const Lrn& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.shaped_value(input(0));
        forward_ = describe_lrn(lowering.context(), lowering.forward_kind(), x.desc, op_.size,
                                alpha(), beta(), k());
        const auto blocks = channel_blocks_of(x.desc);
        if (blocks && type_of(x.desc) == ElementType::f32 && suits_loops(lowering, x.desc)) {
            return forward_by_loops(lowering, x, *blocks);
        }
        const TensorView y = lowering.make_value(output(), forward_->dst_desc());
        Arguments arguments = {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}};
        if (lowering.trains() && forward_->workspace_desc().get_size() > 0) {
            scales_ = lowering.make_transient(forward_->workspace_desc());
            arguments.emplace_back(DNNL_ARG_WORKSPACE, *scales_);
        }
        lowering.compute<dnnl::lrn_forward>(*forward_, text_of(x.desc), std::move(arguments));
    }

    void backward_data(Lowering& lowering) override {
        if (loops_) {
            return backward_by_loops(lowering);
        }
        const TensorView x = lowering.value(input(0), forward_->src_desc());
        const auto described = describe_backward_of(lowering, x.desc);
        const TensorView dy = lowering.gradient(output(), described.diff_dst_desc());
        const TensorView dx = lowering.make_gradient(input(0), described.diff_src_desc());
        Arguments arguments = {{DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_SRC, dx}};
        if (scales_) {
            arguments.emplace_back(DNNL_ARG_WORKSPACE, *scales_);
        }
        lowering.compute<dnnl::lrn_backward>(described, text_of(x.desc), std::move(arguments));
    }

private:
    dnnl::lrn_backward::primitive_desc describe_backward_of(const Lowering& lowering,
                                                            const Desc& x) const {
        return describe_lrn_backward(lowering.context(), *forward_, x, x, op_.size, alpha(), beta(),
                                     k());
    }

    // If the library has only reference loops in either direction (for the batch last; with 3.x and
    // AVX2 for every gradient), and for even windows, which it places differently. Also in
    // inference, if the channels are adjacent: oneDNN 2.6's kernel stays far below the memory
    // bandwidth.
    bool suits_loops(const Lowering& lowering, const Desc& x) const {
        return runs_plain_loops(*forward_) ||
               (lowering.trains() ? runs_plain_loops(describe_backward_of(lowering, x))
                                  : channel_layout_of(x).inner == dims_of(x)[1]);
    }

    void forward_by_loops(Lowering& lowering, const TensorView& x, const ChannelBlocks& blocks) {
        loops_ = ChannelLrn{.blocks = blocks,
                            .size = static_cast<std::size_t>(op_.size),
                            .scale = static_cast<float>(op_.alpha / static_cast<double>(op_.size)),
                            .beta = beta(),
                            .k = k()};
        stored_ = x.desc;
        const TensorView y = lowering.make_value(output(), x.desc);
        lowering.compute_by_loops(text_of(x.desc), loop_call(normalize_channels, {x, y}, *loops_));
    }

    void backward_by_loops(Lowering& lowering) const {
        const TensorView x = lowering.value(input(0), stored_);
        const TensorView dy = lowering.gradient(output(), stored_);
        const TensorView dx = lowering.make_gradient(input(0), stored_);
        lowering.compute_by_loops(text_of(stored_),
                                  loop_call(normalize_channels_gradient, {x, dy, dx}, *loops_));
    }

    float alpha() const { return static_cast<float>(op_.alpha); }
    float beta() const { return static_cast<float>(op_.beta); }
    float k() const { return static_cast<float>(op_.k); }

    const Lrn& op_;
    std::optional<ChannelLrn> loops_;  // ours, instead of the library's primitives
    Desc stored_;                      // layout of x for them
    std::optional<dnnl::lrn_forward::primitive_desc> forward_;
    std::optional<TensorView> scales_;
};

}  // namespace

Made lower(const Layer& layer, const Lrn& op) {
    return std::make_unique<LrnLowering>(layer, op);
}

}  // namespace strata::cpu
