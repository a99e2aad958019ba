// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/onednn/channel_layout.h"
#include "backend/cpu/onednn/choose.h"
#include "backend/cpu/onednn/layer_lowering.h"

#include <cmath>
#include <vector>

namespace strata::cpu {

namespace {

using dnnl::normalization_flags;
using Forward = dnnl::batch_normalization_forward;
using Backward = dnnl::batch_normalization_backward;

// The library's backward primitive computes all three gradients at once: the sums that the data's
// gradient needs are the weights' gradients. So if both are wanted, one step computes both.
class BatchNormalizationLowering : public LayerLowering {
public:
    BatchNormalizationLowering(const Layer& layer, const BatchNormalization& op)
        : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        TensorView x = as_planes(source(lowering));
        statistic_ = plain({dims_of(x.desc)[1]}, ElementType::f32);
        forward_ = describe_forward(lowering, x.desc);
        if (is_slow(*forward_)) {
            x = faster_source(lowering, x);
        }
        scale_ = lowering.value(input(1), statistic_);
        shift_ = lowering.value(input(2), statistic_);
        lowering.trains() ? forward_by_batch(lowering, x) : forward_by_running(lowering, x);
    }

    void backward_weights(Lowering& lowering) override {
        if (lowering.needs_gradient(input(0))) {
            return lowering.refuse("batch_normalization: computed together with backward_data");
        }
        backward(lowering);
    }

    void backward_data(Lowering& lowering) override { backward(lowering); }

private:
    float epsilon() const { return static_cast<float>(op_.epsilon); }

    static normalization_flags flags(const Lowering& lowering) {
        const auto affine = normalization_flags::use_scale | normalization_flags::use_shift;
        return lowering.trains() ? affine : affine | normalization_flags::use_global_stats;
    }

    Forward::primitive_desc describe_forward(Lowering& lowering, const Desc& x) const {
        return describe_batch_normalization(lowering.context(), lowering.forward_kind(), x,
                                            epsilon(), flags(lowering));
    }

    // In bf16 the loops over pixels with channels last are slow, too: 0.2 GB/s with 24 channels.
    static bool is_slow(const Forward::primitive_desc& described) {
        const bool is_narrow = type_of(described.src_desc()) == ElementType::bf16;
        return runs_plain_loops(described) ||
               (is_narrow && std::string_view(described.impl_info_str()).starts_with("nspc_bnorm"));
    }

    // Convolutions with narrow groups leave narrow blocks, and those in bf16 channels last: the
    // images in blocks for which the library has real loops, if there are such.
    TensorView faster_source(Lowering& lowering, const TensorView& x) {
        const auto dims = dims_of(x.desc);
        if (op_.scope != NormalizationScope::spatial || batch_last_ || dims.size() < 3 ||
            dims.size() > 5) {
            return x;
        }
        auto layouts = vector_layouts(dims, type_of(x.desc));
        layouts.push_back(asked_layout(ImageLayout::blocked, dims, type_of(x.desc)));
        for (const Desc& layout : layouts) {
            auto described = describe_forward(lowering, layout);
            if (!is_slow(described)) {
                forward_ = std::move(described);
                return lowering.value(input(0), layout);
            }
        }
        return x;
    }

    // If the batch is last, the images side by side form one plain image with the same statistics
    // per channel; the library has real loops only for that.
    TensorView as_planes(const TensorView& view) {
        if (!is_batch_last(view.desc) || op_.scope != NormalizationScope::spatial) {
            return view;
        }
        batch_last_ = view.desc;
        auto dims = dims_of(view.desc);
        dims.back() *= dims[0];
        dims[0] = 1;
        return {view.buffer, plain(dims, type_of(view.desc)), view.offset};
    }

    // The layout in memory of a tensor that the library sees in this layout.
    Desc stored(const Desc& described) const { return batch_last_.value_or(described); }

    // One statistic per element of an image is the same as one per channel of an image with one
    // pixel.
    TensorView source(Lowering& lowering) const {
        if (op_.scope == NormalizationScope::spatial) {
            return lowering.shaped_value(input(0));
        }
        const auto dims = lowering.extents(input(0));
        const auto each = product(dims) / std::max<std::int64_t>(dims[0], 1);
        return lowering.value(input(0), plain({dims[0], each}, lowering.element_type()));
    }

    void forward_by_batch(Lowering& lowering, const TensorView& x) {
        mean_ = lowering.make_transient(statistic_);
        variance_ = lowering.make_transient(statistic_);
        const TensorView y = as_planes(lowering.make_value(output(), stored(forward_->dst_desc())));
        lowering.compute({forward_->impl_info_str(), text_of(stored(x.desc))},
                         {lowering.call<Forward>(*forward_, arguments(x, y)),
                          keep_running(lowering, input(3), *mean_),
                          keep_running(lowering, input(4), *variance_)},
                         scratchpad_of(*forward_));
    }

    void forward_by_running(Lowering& lowering, const TensorView& x) {
        mean_ = lowering.value(input(3), statistic_);
        variance_ = lowering.value(input(4), statistic_);
        const TensorView y = as_planes(lowering.make_value(output(), stored(forward_->dst_desc())));
        const auto blocks = blocks_of(x.desc);
        if (blocks && forward_->dst_desc() == x.desc) {
            return lowering.compute({"strata:loops", text_of(stored(x.desc))},
                                    {scale_call(*blocks, x, y)});
        }
        lowering.compute<Forward>(*forward_, text_of(stored(x.desc)), arguments(x, y));
    }

    // The blocks of images for our own loops: with constant statistics, the library's kernels reach
    // the memory bandwidth only if channels fill its registers.
    std::optional<ChannelBlocks> blocks_of(const Desc& desc) const {
        const auto axes = dims_of(desc).size();
        return type_of(desc) == ElementType::f32 && axes >= 3 && axes <= 5 ? channel_blocks_of(desc)
                                                                           : std::nullopt;
    }

    Call scale_call(const ChannelBlocks& blocks, const TensorView& x, const TensorView& y) const {
        return KernelCall{
            [blocks, by = epsilon()](std::span<void* const> at) {
                const auto operand = [&](std::size_t i) {
                    return static_cast<const float*>(at[i]);
                };
                const auto channels = static_cast<std::size_t>(blocks.blocks() * blocks.inner);
                std::vector<float> factors(channels), offsets(channels);
                for (std::size_t c = 0; c < static_cast<std::size_t>(blocks.channels); ++c) {
                    factors[c] = operand(2)[c] / std::sqrt(operand(5)[c] + by);
                    offsets[c] = operand(3)[c] - operand(4)[c] * factors[c];
                }
                scale_channels(blocks, factors.data(), offsets.data(), operand(0),
                               static_cast<float*>(at[1]));
            },
            {x, y, *scale_, *shift_, *mean_, *variance_}};
    }

    Arguments arguments(const TensorView& x, const TensorView& y) const {
        return {{DNNL_ARG_SRC, x},         {DNNL_ARG_DST, y},
                {DNNL_ARG_SCALE, *scale_}, {DNNL_ARG_SHIFT, *shift_},
                {DNNL_ARG_MEAN, *mean_},   {DNNL_ARG_VARIANCE, *variance_}};
    }

    // running = momentum * running + (1 - momentum) * batch
    Call keep_running(Lowering& lowering, TensorId running, const TensorView& batch) const {
        return loop_call(blend, {lowering.value(running, statistic_), batch},
                         elements_of(statistic_), static_cast<float>(op_.momentum));
    }

    void backward(Lowering& lowering) {
        const Desc desc = forward_->src_desc();
        const auto described = describe_batch_normalization_backward(
            lowering.context(), *forward_, dnnl::prop_kind::backward, desc, desc, epsilon(),
            flags(lowering));
        const TensorView x = as_planes(lowering.value(input(0), stored(desc)));
        const TensorView dy =
            as_planes(lowering.gradient(output(), stored(described.diff_dst_desc())));
        const TensorView dx =
            as_planes(lowering.make_gradient(input(0), stored(described.diff_src_desc())));
        Arguments arguments = {{DNNL_ARG_SRC, x},
                               {DNNL_ARG_DIFF_DST, dy},
                               {DNNL_ARG_MEAN, *mean_},
                               {DNNL_ARG_VARIANCE, *variance_},
                               {DNNL_ARG_SCALE, *scale_},
                               {DNNL_ARG_DIFF_SRC, dx},
                               {DNNL_ARG_DIFF_SCALE, gradient_of(lowering, 1)},
                               {DNNL_ARG_DIFF_SHIFT, gradient_of(lowering, 2)}};
        if (backward_reads_shift) {
            arguments.emplace_back(DNNL_ARG_SHIFT, *shift_);
        }
        lowering.compute<Backward>(described, text_of(stored(desc)), std::move(arguments));
    }

    // The library always writes it; it is a gradient only if the operand is trained.
    TensorView gradient_of(Lowering& lowering, std::size_t operand) const {
        const bool trained = lowering.needs_gradient(input(operand));
        return trained ? lowering.make_gradient(input(operand), statistic_)
                       : lowering.make_transient(statistic_);
    }

    const BatchNormalization& op_;
    Desc statistic_;
    std::optional<Forward::primitive_desc> forward_;
    std::optional<TensorView> scale_, shift_, mean_, variance_;
    std::optional<Desc> batch_last_;  // the images' layout, if the batch is last
};

}  // namespace

Made lower(const Layer& layer, const BatchNormalization& op) {
    return std::make_unique<BatchNormalizationLowering>(layer, op);
}

}  // namespace strata::cpu
