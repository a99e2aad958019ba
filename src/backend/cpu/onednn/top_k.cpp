// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/top_k_loops.h"
#include "backend/cpu/onednn/layer_lowering.h"

namespace strata::cpu {

namespace {

class TopKLowering : public LayerLowering {
public:
    TopKLowering(const Layer& layer, const TopK& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const Place x = lowering.plain_value(input(0), ElementType::f32);
        const Desc desc = plain(lowering.extents(output()), ElementType::f32);
        const Place y = lowering.make_value(output(), desc);
        positions_ = lowering.make_value(layer_.outputs[1], desc);
        lowering.compute({"strata:loops", text_of(x.desc)},
                         {KernelCall{[shape = shape(lowering)](std::span<void* const> at) {
                                         top_k(shape, static_cast<const float*>(at[0]),
                                               static_cast<float*>(at[1]),
                                               static_cast<float*>(at[2]));
                                     },
                                     {x, y, *positions_}}});
    }

    void backward_data(Lowering& lowering) override { backward(lowering); }
    void backward_weights(Lowering& lowering) override { backward(lowering); }

private:
    void backward(Lowering& lowering) const {
        const Place dy = lowering.plain_gradient(output(), ElementType::f32);
        const Place dx =
            lowering.make_gradient(input(0), plain(lowering.extents(input(0)), ElementType::f32));
        lowering.compute({"strata:loops", text_of(dx.desc)},
                         {KernelCall{[shape = shape(lowering)](std::span<void* const> at) {
                                         top_k_gradient(shape, static_cast<const float*>(at[0]),
                                                        static_cast<const float*>(at[1]),
                                                        static_cast<float*>(at[2]));
                                     },
                                     {dy, *positions_, dx}}});
    }

    TopKShape shape(Lowering& lowering) const {
        const auto dims = lowering.extents(input(0));
        const auto rank = static_cast<std::int64_t>(dims.size());
        const auto axis = static_cast<std::size_t>(op_.axis < 0 ? op_.axis + rank : op_.axis);
        const std::span extents(dims);
        return {.outer = product(extents.first(axis)),
                .extent = extents[axis],
                .inner = product(extents.subspan(axis + 1)),
                .k = op_.k,
                .largest = op_.largest};
    }

    const TopK& op_;
    std::optional<Place> positions_;
};

}  // namespace

Made lower(const Layer& layer, const TopK& op) {
    return std::make_unique<TopKLowering>(layer, op);
}

}  // namespace strata::cpu
