// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/gather_loops.h"
#include "backend/cpu/onednn/layer_lowering.h"

namespace strata::cpu {

namespace {

// Copies rows of a row-major table: the library has no such primitive. A table that is trained is
// f32 whatever the network computes in, and readers of the result convert it to their narrower
// type.
class EmbeddingLowering : public LayerLowering {
public:
    EmbeddingLowering(const Layer& layer, const Embedding& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView indices = lowering.plain_value(input(0), ElementType::s32);
        const ElementType type = lowering.trains() ? ElementType::f32 : lowering.element_type();
        const TensorView table = lowering.plain_value(input(1), type);
        const TensorView y = lowering.make_plain_value(output(), type);
        lowering.compute_by_loops(text_of(table.desc, y.desc),
                                  loop_call(gather_rows, {table, indices, y}, shape(lowering),
                                            dnnl::memory::data_type_size(type)));
    }

    void backward_weights(Lowering& lowering) override {
        const TensorView indices = lowering.plain_value(input(0), ElementType::s32);
        const TensorView dy = lowering.plain_gradient(output());
        const TensorView gradient = lowering.make_plain_gradient(input(1));
        lowering.compute_by_loops(text_of(dy.desc, gradient.desc),
                                  loop_call(add_rows, {dy, indices, gradient}, shape(lowering)));
    }

private:
    GatherShape shape(Lowering& lowering) const {
        return {.extent = op_.rows,
                .indices = lowering.graph().tensors[input(0)].tensor.elements(),
                .inner = op_.width};
    }

    const Embedding& op_;
};

}  // namespace

Made lower(const Layer& layer, const Embedding& op) {
    return std::make_unique<EmbeddingLowering>(layer, op);
}

}  // namespace strata::cpu
