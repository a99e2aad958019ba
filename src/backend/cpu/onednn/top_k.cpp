// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/top_k_loops.h"
#include "backend/cpu/onednn/layer_lowering.h"
#include "backend/cpu/onednn/view_calls.h"

namespace strata::cpu {

namespace {

TopKShape shape_along(std::int64_t axis, const dnnl::memory::dims& dims) {
    const auto rank = static_cast<std::int64_t>(dims.size());
    const auto at = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
    const std::span extents(dims);
    return {.outer = product(extents.first(at)),
            .extent = extents[at],
            .inner = product(extents.subspan(at + 1))};
}

class TopKLowering : public LayerLowering {
public:
    TopKLowering(const Layer& layer, const TopK& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.plain_value(input(0), ElementType::f32);
        const Desc desc = plain(lowering.extents(output()), ElementType::f32);
        const TensorView y = lowering.make_value(output(), desc);
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
        const TensorView dy = lowering.plain_gradient(output(), ElementType::f32);
        const TensorView dx =
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
        TopKShape shape = shape_along(op_.axis, lowering.extents(input(0)));
        shape.k = op_.k;
        shape.largest = op_.largest;
        return shape;
    }

    const TopK& op_;
    std::optional<TensorView> positions_;
};

class HardmaxLowering : public LayerLowering {
public:
    HardmaxLowering(const Layer& layer, const Hardmax& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.plain_value(input(0), ElementType::f32);
        const TensorView y = lowering.make_value(output(), x.desc);
        const TopKShape shape = shape_along(op_.axis, lowering.extents(input(0)));
        lowering.compute({"strata:loops", text_of(x.desc)},
                         {KernelCall{[shape](std::span<void* const> at) {
                                         hardmax(shape, static_cast<const float*>(at[0]),
                                                 static_cast<float*>(at[1]));
                                     },
                                     {x, y}}});
    }

    void backward_data(Lowering& lowering) override {
        lowering.gradient(output());  // not read here, but it can be requested
        const Desc desc = plain(lowering.extents(input(0)), ElementType::f32);
        const TensorView dx = lowering.make_gradient(input(0), desc);
        const auto count = static_cast<dnnl::memory::dim>(elements_of(desc));
        lowering.compute({"strata:loops", text_of(desc)}, {clear_call(dx, count)});
    }

private:
    const Hardmax& op_;
};

}  // namespace

Made lower(const Layer& layer, const Hardmax& op) {
    return std::make_unique<HardmaxLowering>(layer, op);
}

Made lower(const Layer& layer, const TopK& op) {
    return std::make_unique<TopKLowering>(layer, op);
}

}  // namespace strata::cpu
