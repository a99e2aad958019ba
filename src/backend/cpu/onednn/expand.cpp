// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/move.h"
#include "backend/cpu/kernels/reduction_loops.h"
#include "backend/cpu/onednn/layer_lowering.h"

namespace strata::cpu {

namespace {

using Extents = dnnl::memory::dims;

// The operand's extents, extended to the result's rank.
Extents aligned(Extents operand, std::size_t rank) {
    operand.insert(operand.begin(), rank - operand.size(), 1);
    return operand;
}

// The source of each element of the result: along a broadcast axis it is constant.
AxisOffsets stretched(AxisOffsets offsets, const Extents& result) {
    for (std::size_t axis = 0; axis < result.size(); ++axis) {
        offsets[axis].resize(static_cast<std::size_t>(result[axis]), offsets[axis].front());
    }
    return offsets;
}

// Copies from a plain layout; the gradients of the copies are added up in f32.
class ExpandLowering : public LayerLowering {
public:
    using LayerLowering::LayerLowering;

    void forward(Lowering& lowering) override {
        const ElementType type = lowering.element_type(input(0));
        const TensorView x = lowering.plain_value(input(0), type);
        const TensorView y = lowering.make_plain_value(output(), type);
        const Extents whole = lowering.extents(output());
        const Desc view = plain(aligned(lowering.extents(input(0)), whole.size()), type);
        const Movement move(stretched(offsets_of(view), whole), offsets_of(y.desc),
                            dnnl::memory::data_type_size(type));
        lowering.compute_by_loops(text_of(y.desc), loop_call(move, {x, y}));
    }

    void backward_data(Lowering& lowering) override { backward(lowering); }
    void backward_weights(Lowering& lowering) override { backward(lowering); }

private:
    void backward(Lowering& lowering) const {
        const TensorView dy = lowering.plain_gradient(output());
        const TensorView dx = lowering.make_plain_gradient(input(0));
        const Extents whole = lowering.extents(output());
        const Extents kept = aligned(lowering.extents(input(0)), whole.size());
        lowering.compute_by_loops(text_of(dy.desc), loop_call(reduce, {dy, dx}, ReductionKind::sum,
                                                              ReductionPlan(whole, kept)));
    }
};

}  // namespace

Made lower(const Layer& layer, const Expand&) {
    return std::make_unique<ExpandLowering>(layer);
}

}  // namespace strata::cpu
