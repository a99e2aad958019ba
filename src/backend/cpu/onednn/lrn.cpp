// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/lrn_loops.h"
#include "backend/cpu/onednn/channel_layout.h"
#include "backend/cpu/onednn/layer_lowering.h"

namespace strata::cpu {

namespace {

class LrnLowering : public LayerLowering {
public:
    LrnLowering(const Layer& layer, const Lrn& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.shaped_value(input(0));
        if (is_batch_last(x.desc) && type_of(x.desc) == ElementType::f32) {
            return forward_by_planes(lowering, x);
        }
        if (suits_loops(lowering, x.desc)) {
            return forward_by_loops(lowering, x);
        }
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
        if (planes_) {
            return backward_by_planes(lowering);
        }
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
    // oneDNN 2.6's kernel for adjacent channels stays far below the bandwidth of memory. In
    // training it keeps what its backward pass reads.
    bool suits_loops(const Lowering& lowering, const Desc& x) const {
        const auto dims = dims_of(x);
        return !lowering.trains() && type_of(x) == ElementType::f32 && dims.size() == 4 &&
               !is_batch_last(x) && channel_layout_of(x).desc(dims, ElementType::f32) == x &&
               channel_layout_of(x).inner == dims[1] && op_.beta == 0.75 && op_.size % 2 == 1 &&
               op_.size <= static_cast<std::int64_t>(max_lrn_size) &&
               dims[1] <= static_cast<std::int64_t>(max_lrn_channels);
    }

    void forward_by_loops(Lowering& lowering, const TensorView& x) const {
        const auto channels = static_cast<std::size_t>(dims_of(x.desc)[1]);
        const ChannelLrn lrn = {channels, static_cast<std::size_t>(op_.size),
                                static_cast<float>(op_.alpha / static_cast<double>(op_.size)), k()};
        const TensorView y = lowering.make_value(output(), x.desc);
        lowering.compute({"strata:loops", text_of(x.desc)},
                         {KernelCall{[lrn, positions = elements_of(x.desc) /
                                                       channels](std::span<void* const> at) {
                                         normalize_channels(lrn, static_cast<const float*>(at[0]),
                                                            static_cast<float*>(at[1]), positions);
                                     },
                                     {x, y}}});
    }

    // The elements of a channel lie beside each other; the library has only reference loops.
    void forward_by_planes(Lowering& lowering, const TensorView& x) {
        const auto channels = static_cast<std::size_t>(dims_of(x.desc)[1]);
        planes_ = PlaneLrn{.channels = channels,
                           .positions = elements_of(x.desc) / channels,
                           .size = static_cast<std::size_t>(op_.size),
                           .scale = static_cast<float>(op_.alpha / static_cast<double>(op_.size)),
                           .beta = beta(),
                           .k = k()};
        stored_ = x.desc;
        const TensorView y = lowering.make_value(output(), x.desc);
        lowering.compute({"strata:loops", text_of(x.desc)},
                         {KernelCall{[lrn = *planes_](std::span<void* const> at) {
                                         normalize_planes(lrn, static_cast<const float*>(at[0]),
                                                          static_cast<float*>(at[1]));
                                     },
                                     {x, y}}});
    }

    void backward_by_planes(Lowering& lowering) const {
        const TensorView x = lowering.value(input(0), stored_);
        const TensorView dy = lowering.gradient(output(), stored_);
        const TensorView dx = lowering.make_gradient(input(0), stored_);
        lowering.compute({"strata:loops", text_of(stored_)},
                         {KernelCall{[lrn = *planes_](std::span<void* const> at) {
                                         normalize_planes_gradient(lrn,
                                                                   static_cast<const float*>(at[0]),
                                                                   static_cast<const float*>(at[1]),
                                                                   static_cast<float*>(at[2]));
                                     },
                                     {x, dy, dx}}});
    }

    float alpha() const { return static_cast<float>(op_.alpha); }
    float beta() const { return static_cast<float>(op_.beta); }
    float k() const { return static_cast<float>(op_.k); }

    const Lrn& op_;
    std::optional<dnnl::lrn_forward::primitive_desc> forward_;
    std::optional<TensorView> scales_;
    std::optional<PlaneLrn> planes_;  // where the batch is last
    Desc stored_;
};

}  // namespace

Made lower(const Layer& layer, const Lrn& op) {
    return std::make_unique<LrnLowering>(layer, op);
}

}  // namespace strata::cpu
