// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/top_k_loops.h"
#include "backend/cpu/onednn/layer_lowering.h"
#include "backend/cpu/onednn/view_calls.h"

namespace strata::cpu {

namespace {

TopKShape shape_along(std::int64_t axis, const Dims& dims) {
    const AxisExtents around = extents_around(axis, dims);
    return {.outer = around.outer, .extent = around.extent, .inner = around.inner};
}

class TopKLowering : public LayerLowering {
public:
    TopKLowering(const Layer& layer, const TopK& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.plain_value(input(0));
        const TensorView y = lowering.make_plain_value(output());
        positions_ = lowering.make_value(layer_.outputs[1], y.desc);
        lowering.compute_by_loops(text_of(x.desc),
                                  loop_call(top_k, {x, y, *positions_}, shape(lowering)));
    }

    void backward_data(Lowering& lowering) override { backward(lowering); }
    void backward_weights(Lowering& lowering) override { backward(lowering); }

private:
    void backward(Lowering& lowering) const {
        const TensorView dy = lowering.plain_gradient(output());
        const TensorView dx = lowering.make_plain_gradient(input(0));
        lowering.compute_by_loops(
            text_of(dx.desc), loop_call(top_k_gradient, {dy, *positions_, dx}, shape(lowering)));
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
        const TensorView x = lowering.plain_value(input(0));
        const TensorView y = lowering.make_value(output(), x.desc);
        const TopKShape shape = shape_along(op_.axis, lowering.extents(input(0)));
        lowering.compute_by_loops(text_of(x.desc), loop_call(hardmax, {x, y}, shape));
    }

    void backward_data(Lowering& lowering) override {
        lowering.gradient(output());  // not read here, but it can be requested
        const TensorView dx = lowering.make_plain_gradient(input(0));
        const auto count = static_cast<dnnl::memory::dim>(elements_of(dx.desc));
        lowering.compute_by_loops(text_of(dx.desc), clear_call(dx, count));
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
