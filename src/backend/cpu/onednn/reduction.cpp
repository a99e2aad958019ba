// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/reduction_loops.h"
#include "backend/cpu/onednn/layer_lowering.h"

#include <algorithm>

namespace strata::cpu {

namespace {

// Uses loops over plain values in f32: the library is fast only for the innermost axes.
class ReductionLowering : public LayerLowering {
public:
    ReductionLowering(const Layer& layer, const Reduction& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.plain_value(input(0), ElementType::f32);
        const TensorView y =
            lowering.make_value(output(), plain(lowering.extents(output()), ElementType::f32));
        lowering.compute(
            {"strata:loops", text_of(x.desc)},
            {KernelCall{[plan = plan(lowering), kind = op_.kind](std::span<void* const> at) {
                            reduce(kind, plan, static_cast<const float*>(at[0]),
                                   static_cast<float*>(at[1]));
                        },
                        {x, y}}});
    }

    void backward_data(Lowering& lowering) override { backward(lowering); }
    void backward_weights(Lowering& lowering) override { backward(lowering); }

private:
    ReductionPlan plan(Lowering& lowering) const {
        const auto whole = lowering.extents(input(0));
        return {whole, kept_extents(op_, whole)};
    }

    static Dims kept_extents(const Reduction& op, Dims dims) {
        const auto rank = static_cast<std::int64_t>(dims.size());
        if (op.axes.empty()) {
            return Dims(dims.size(), 1);
        }
        for (const std::int64_t axis : op.axes) {
            dims[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = 1;
        }
        return dims;
    }

    // A sum's gradient needs neither terms nor results; dy then takes the place of their views.
    void backward(Lowering& lowering) const {
        const TensorView dy = lowering.plain_gradient(output(), ElementType::f32);
        const BackwardReads reads = op_.reads();
        const TensorView x =
            reads.input_for_data ? lowering.plain_value(input(0), ElementType::f32) : dy;
        const TensorView y =
            reads.output_for_data ? lowering.plain_value(output(), ElementType::f32) : dy;
        const TensorView dx =
            lowering.make_gradient(input(0), plain(lowering.extents(input(0)), ElementType::f32));
        lowering.compute(
            {"strata:loops", text_of(dx.desc)},
            {KernelCall{[plan = plan(lowering), kind = op_.kind](std::span<void* const> at) {
                            reduce_gradient(kind, plan, static_cast<const float*>(at[0]),
                                            static_cast<const float*>(at[1]),
                                            static_cast<const float*>(at[2]),
                                            static_cast<float*>(at[3]));
                        },
                        {x, y, dy, dx}}});
    }

    const Reduction& op_;
};

}  // namespace

Made lower(const Layer& layer, const Reduction& op) {
    return std::make_unique<ReductionLowering>(layer, op);
}

}  // namespace strata::cpu
