// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/broadcast_loops.h"
#include "backend/cpu/onednn/layer_lowering.h"

namespace strata::cpu {

namespace {

class SelectLowering : public LayerLowering {
public:
    using LayerLowering::LayerLowering;

    void forward(Lowering& lowering) override {
        std::vector<TensorView> views = sources(lowering);
        const Desc desc = plain(lowering.extents(output()), ElementType::f32);
        views.push_back(lowering.make_value(output(), desc));
        lowering.compute({"strata:loops", text_of(desc)},
                         {KernelCall{[plan = plan(lowering)](std::span<void* const> at) {
                                         select(plan, operands_at(at), static_cast<float*>(at[3]));
                                     },
                                     std::move(views)}});
    }

    void backward_data(Lowering& lowering) override { backward(lowering, Role::activation); }
    void backward_weights(Lowering& lowering) override { backward(lowering, Role::parameter); }

private:
    using Three = std::array<const float*, 3>;

    static Three operands_at(std::span<void* const> at) {
        return {static_cast<const float*>(at[0]), static_cast<const float*>(at[1]),
                static_cast<const float*>(at[2])};
    }

    BroadcastPlan plan(Lowering& lowering) const {
        const std::array operands = {lowering.extents(input(0)), lowering.extents(input(1)),
                                     lowering.extents(input(2))};
        return {operands, lowering.extents(output())};
    }

    std::vector<TensorView> sources(Lowering& lowering) const {
        std::vector<TensorView> views;
        for (const TensorId tensor : layer_.inputs) {
            views.push_back(lowering.plain_value(tensor, ElementType::f32));
        }
        return views;
    }

    void backward(Lowering& lowering, Role role) const {
        const TensorView dy = lowering.plain_gradient(output(), ElementType::f32);
        std::vector<Call> calls;
        for (std::size_t which = 1; which < 3; ++which) {
            const bool trained = lowering.graph().tensors[input(which)].role == Role::parameter;
            if (trained == (role == Role::parameter) && lowering.needs_gradient(input(which))) {
                calls.push_back(gradient_call(lowering, dy, which));
            }
        }
        lowering.compute({"strata:loops", text_of(dy.desc)}, std::move(calls));
    }

    Call gradient_call(Lowering& lowering, const TensorView& dy, std::size_t which) const {
        // Only the condition is read; the gradient takes the place of the others.
        const TensorView condition = lowering.plain_value(input(0), ElementType::f32);
        const Desc desc = plain(lowering.extents(input(which)), ElementType::f32);
        std::vector<TensorView> views = {condition, dy, dy, dy,
                                         lowering.make_gradient(input(which), desc)};
        return KernelCall{
            [plan = plan(lowering), which, count = elements_of(desc)](std::span<void* const> at) {
                select_gradient(plan, operands_at(at), which, static_cast<const float*>(at[3]),
                                static_cast<float*>(at[4]), count);
            },
            std::move(views)};
    }
};

}  // namespace

Made lower(const Layer& layer, const Select&) {
    return std::make_unique<SelectLowering>(layer);
}

}  // namespace strata::cpu
