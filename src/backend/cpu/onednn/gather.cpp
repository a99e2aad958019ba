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
        const TensorView indices = lowering.plain_value(input(1), ElementType::f32);
        const TensorView y = lowering.make_value(output(), plain(lowering.extents(output()), type));
        lowering.compute(
            {"strata:loops", text_of(y.desc)},
            {KernelCall{[shape = shape(lowering),
                         bytes = dnnl::memory::data_type_size(type)](std::span<void* const> at) {
                            gather_rows(shape, bytes, at[0], static_cast<const float*>(at[1]),
                                        at[2]);
                        },
                        {data, indices, y}}});
    }

    void backward_data(Lowering& lowering) override { backward(lowering); }
    void backward_weights(Lowering& lowering) override { backward(lowering); }

private:
    void backward(Lowering& lowering) const {
        const TensorView indices = lowering.plain_value(input(1), ElementType::f32);
        const TensorView dy = lowering.plain_gradient(output(), ElementType::f32);
        const TensorView dx =
            lowering.make_gradient(input(0), plain(lowering.extents(input(0)), ElementType::f32));
        lowering.compute({"strata:loops", text_of(dx.desc)},
                         {KernelCall{[shape = shape(lowering)](std::span<void* const> at) {
                                         add_rows(shape, static_cast<const float*>(at[0]),
                                                  static_cast<const float*>(at[1]),
                                                  static_cast<float*>(at[2]));
                                     },
                                     {dy, indices, dx}}});
    }

    GatherShape shape(Lowering& lowering) const {
        const auto dims = lowering.extents(input(0));
        const auto rank = static_cast<std::int64_t>(dims.size());
        const auto axis = static_cast<std::size_t>(op_.axis < 0 ? op_.axis + rank : op_.axis);
        const std::span extents(dims);
        return {.outer = product(extents.first(axis)),
                .extent = extents[axis],
                .indices = product(lowering.extents(input(1))),
                .inner = product(extents.subspan(axis + 1))};
    }

    const Gather& op_;
};

}  // namespace

Made lower(const Layer& layer, const Gather& op) {
    return std::make_unique<GatherLowering>(layer, op);
}

}  // namespace strata::cpu
