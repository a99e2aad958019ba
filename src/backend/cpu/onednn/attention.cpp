// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/attention_loops.h"
#include "backend/cpu/onednn/layer_lowering.h"

#include <omp.h>

#include <array>

namespace strata::cpu {

namespace {

enum Operand : std::size_t { query, key, value, mask };

// Strides of a mask that is aligned with the scores at its last axis.
MaskSteps steps_of(const dnnl::memory::dims& mask) {
    std::array<std::ptrdiff_t, 4> steps = {};
    std::ptrdiff_t step = 1;
    for (std::size_t back = 1; back <= mask.size(); ++back) {
        const auto extent = mask[mask.size() - back];
        steps[steps.size() - back] = extent == 1 ? 0 : step;
        step *= extent;
    }
    return {steps[0], steps[1], steps[2], steps[3]};
}

// Uses our own loops: oneDNN 2.6 has no attention, and composed of its primitives (two batched
// products and a softmax) the scores would pass through memory eight times in a training step.
class AttentionLowering : public LayerLowering {
public:
    AttentionLowering(const Layer& layer, const Attention& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        prepare(lowering);
        const ElementType type = lowering.element_type();
        const TensorView y = lowering.make_value(output(), plain(lowering.extents(output()), type));
        const TensorView scratch = scratch_of(lowering, forward_scratch(loops_));
        std::vector<TensorView> views = {operand(lowering, query), operand(lowering, key),
                                         operand(lowering, value), y, scratch};
        const bool keeps = lowering.trains();
        if (keeps) {
            const auto& e = loops_.extents;
            logarithms_ =
                lowering.make_floats(static_cast<std::size_t>(e.batch * e.heads * e.queries));
        }
        views.push_back(keeps ? *logarithms_ : scratch);
        views.push_back(mask_or(lowering, scratch));
        lowering.compute(
            {"strata:blocks", text_of(y.desc)},
            {KernelCall{
                [=, loops = loops_, narrow = type == ElementType::bf16, has_mask = has_mask(),
                 threads = omp_get_max_threads()](std::span<void* const> at) {
                    attend(loops,
                           {.q = {at[0], narrow},
                            .k = {at[1], narrow},
                            .v = {at[2], narrow},
                            .y = {at[3], narrow},
                            .mask = has_mask ? static_cast<float*>(at[6]) : nullptr,
                            .logarithms = keeps ? static_cast<float*>(at[5]) : nullptr,
                            .scratch = static_cast<float*>(at[4])},
                           threads);
                },
                std::move(views)}},
            {static_cast<double>(scratch.desc.get_size())});
    }

    void backward_data(Lowering& lowering) override {
        if (has_mask() && lowering.needs_gradient(input(mask))) {
            throw Refusal{"the engine computes no gradient of a mask"};
        }
        const ElementType type = lowering.element_type();
        const TensorView dy = lowering.plain_gradient(output(), type);
        const TensorView scratch = scratch_of(lowering, backward_scratch(loops_));
        lowering.compute(
            {"strata:blocks", text_of(dy.desc)},
            {KernelCall{
                [loops = loops_, narrow = type == ElementType::bf16, has_mask = has_mask(),
                 threads = omp_get_max_threads()](std::span<void* const> at) {
                    attend_backward(loops,
                                    {.q = {at[0], narrow},
                                     .k = {at[1], narrow},
                                     .v = {at[2], narrow},
                                     .dy = {at[3], narrow},
                                     .dq = {at[4], narrow},
                                     .dk = {at[5], narrow},
                                     .dv = {at[6], narrow},
                                     .mask = has_mask ? static_cast<const float*>(at[9]) : nullptr,
                                     .logarithms = static_cast<const float*>(at[7]),
                                     .scratch = static_cast<float*>(at[8])},
                                    threads);
                },
                {operand(lowering, query), operand(lowering, key), operand(lowering, value), dy,
                 gradient_of(lowering, query), gradient_of(lowering, key),
                 gradient_of(lowering, value), *logarithms_, scratch, mask_or(lowering, scratch)}}},
            {static_cast<double>(scratch.desc.get_size())});
    }

private:
    bool has_mask() const { return layer_.inputs.size() > mask; }

    void prepare(Lowering& lowering) {
        loops_.extents = extents_of(op_, signature_of(lowering.graph(), layer_));
        loops_.causal = op_.causal;
        if (has_mask()) {
            loops_.mask = steps_of(lowering.extents(input(mask)));
        }
    }

    TensorView operand(Lowering& lowering, std::size_t which) const {
        return lowering.plain_value(input(which), lowering.element_type());
    }

    // Any view can replace an absent mask, because it is not read.
    TensorView mask_or(Lowering& lowering, const TensorView& absent) const {
        return has_mask() ? lowering.plain_value(input(mask), ElementType::f32) : absent;
    }

    static TensorView scratch_of(Lowering& lowering, std::size_t floats_of_thread) {
        const auto floats = floats_of_thread * static_cast<std::size_t>(omp_get_max_threads());
        return lowering.make_floats(floats);
    }

    // All three gradients come from one computation; an unwanted one is written and discarded.
    TensorView gradient_of(Lowering& lowering, std::size_t which) const {
        const Desc desc = plain(lowering.extents(input(which)), lowering.element_type());
        const bool is_activation = lowering.graph().tensors[input(which)].role != Role::parameter;
        return is_activation && lowering.needs_gradient(input(which))
                   ? lowering.make_gradient(input(which), desc)
                   : lowering.make_transient(desc);
    }

    const Attention& op_;
    AttentionLoops loops_;
    std::optional<TensorView> logarithms_;
};

}  // namespace

Made lower(const Layer& layer, const Attention& op) {
    return std::make_unique<AttentionLowering>(layer, op);
}

}  // namespace strata::cpu
