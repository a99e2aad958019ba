// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/gather_loops.h"
#include "backend/cpu/onednn/layer_lowering.h"

namespace strata::cpu {

namespace {

// Rows of a plain tensor are copied in their storage type; their gradients are added up in f32.
class GatherLowering : public LayerLowering {
public:
    GatherLowering(const Layer& layer, const Gather& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const ElementType type = lowering.element_type(input(0));
        const TensorView data = lowering.plain_value(input(0), type);
        const TensorView indices = lowering.plain_value(input(1));
        const TensorView y = lowering.make_plain_value(output(), type);
        lowering.compute_by_loops(text_of(y.desc),
                                  loop_call(gather_slices, {data, indices, y}, shape(lowering),
                                            dnnl::memory::data_type_size(type)));
    }

    void backward_data(Lowering& lowering) override { backward(lowering); }
    void backward_weights(Lowering& lowering) override { backward(lowering); }

private:
    void backward(Lowering& lowering) const {
        const TensorView indices = lowering.plain_value(input(1));
        const TensorView dy = lowering.plain_gradient(output());
        const TensorView dx = lowering.make_plain_gradient(input(0));
        lowering.compute_by_loops(text_of(dx.desc),
                                  loop_call(add_slices, {dy, indices, dx}, shape(lowering)));
    }

    GatherShape shape(Lowering& lowering) const {
        const auto around = extents_around(op_.axis, lowering.extents(input(0)));
        return {around.outer, around.extent, product(lowering.extents(input(1))), around.inner};
    }

    const Gather& op_;
};

}  // namespace

Made lower(const Layer& layer, const Gather& op) {
    return std::make_unique<GatherLowering>(layer, op);
}

}  // namespace strata::cpu
