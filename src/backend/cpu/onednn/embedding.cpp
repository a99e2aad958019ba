// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/table_loops.h"
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
        const TensorView y = lowering.make_value(output(), plain(lowering.extents(output()), type));
        run(lowering, {table, indices, y},
            [shape = shape(lowering),
             bytes = dnnl::memory::data_type_size(type)](std::span<void* const> at) {
                gather_rows(shape, bytes, at[0], static_cast<const std::int32_t*>(at[1]), at[2]);
            });
    }

    void backward_weights(Lowering& lowering) override {
        const TensorView indices = lowering.plain_value(input(0), ElementType::s32);
        const TensorView dy = lowering.plain_gradient(output(), ElementType::f32);
        const TensorView gradient =
            lowering.make_gradient(input(1), plain(lowering.extents(input(1)), ElementType::f32));
        run(lowering, {dy, indices, gradient},
            [shape = shape(lowering)](std::span<void* const> at) {
                add_into_rows(shape, static_cast<const float*>(at[0]),
                              static_cast<const std::int32_t*>(at[1]), static_cast<float*>(at[2]));
            });
    }

private:
    Table shape(Lowering& lowering) const {
        return {.rows = static_cast<std::size_t>(op_.rows),
                .width = static_cast<std::size_t>(op_.width),
                .indices =
                    static_cast<std::size_t>(lowering.graph().tensors[input(0)].tensor.elements())};
    }

    static void run(Lowering& lowering, std::vector<TensorView> views, Kernel kernel) {
        const std::string layout = text_of(views[0].desc, views[2].desc);
        lowering.compute({"strata:loops", layout}, {KernelCall{std::move(kernel), views}});
    }

    const Embedding& op_;
};

}  // namespace

Made lower(const Layer& layer, const Embedding& op) {
    return std::make_unique<EmbeddingLowering>(layer, op);
}

}  // namespace strata::cpu
