// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/reduction_loops.h"
#include "backend/cpu/onednn/layer_lowering.h"

namespace strata::cpu {

namespace {

// Uses loops over plain values in f32: the library is fast only for the innermost axes.
class ReductionLowering : public LayerLowering {
public:
    ReductionLowering(const Layer& layer, const Reduction& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.plain_value(input(0));
        const TensorView y = lowering.make_plain_value(output());
        lowering.compute_by_loops(text_of(x.desc),
                                  loop_call(reduce, {x, y}, op_.kind, plan(lowering)));
    }

    void backward_data(Lowering& lowering) override { backward(lowering); }
    void backward_weights(Lowering& lowering) override { backward(lowering); }

private:
    ReductionPlan plan(Lowering& lowering) const {
        const auto whole = lowering.extents(input(0));
        return {whole, kept_extents(op_, whole)};
    }

    static Dims kept_extents(const Reduction& op, Dims dims) {
        if (op.axes.empty()) {
            return Dims(dims.size(), 1);
        }
        for (const std::int64_t axis : op.axes) {
            dims[axis_among(axis, dims.size())] = 1;
        }
        return dims;
    }

    // A sum's gradient needs neither terms nor results; dy then takes the place of their views.
    void backward(Lowering& lowering) const {
        const TensorView dy = lowering.plain_gradient(output());
        const BackwardReads reads = op_.reads();
        const TensorView x = reads.input_for_data ? lowering.plain_value(input(0)) : dy;
        const TensorView y = reads.output_for_data ? lowering.plain_value(output()) : dy;
        const TensorView dx = lowering.make_plain_gradient(input(0));
        lowering.compute_by_loops(
            text_of(dx.desc), loop_call(reduce_gradient, {x, y, dy, dx}, op_.kind, plan(lowering)));
    }

    const Reduction& op_;
};

}  // namespace

Made lower(const Layer& layer, const Reduction& op) {
    return std::make_unique<ReductionLowering>(layer, op);
}

}  // namespace strata::cpu
