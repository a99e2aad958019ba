// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/movement.h"

#include "backend/cuda/lowering.h"
#include "backend/lower/axis.h"

namespace strata::cuda {

namespace {

TopKShape shape_along(std::int64_t axis, const Dims& dims) {
    const AxisExtents around = extents_around(axis, dims);
    return {around.outer, around.extent, around.inner};
}

class TopKLowering : public LayerLowering {
public:
    TopKLowering(const Layer& layer, const TopK& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.row_value(input(0));
        const TensorView values = lowering.make_value(output(), x.format);
        positions_ = lowering.make_value(layer_.outputs[1], {ElementType::f32, Order::rows});
        lowering.compute(top_k_forward(shape_of(x.dims), {x.format.type, values.format.type}),
                         {x, values, *positions_});
    }

    void backward_data(Lowering& lowering) override {
        const TensorView dy = lowering.row_gradient(output());
        const TensorView dx = lowering.make_gradient(input(0), dy.format);
        lowering.compute(top_k_backward(shape_of(dx.dims), {dy.format.type, dx.format.type}),
                         {dy, *positions_, dx});
    }

private:
    TopKShape shape_of(const Dims& x) const {
        TopKShape shape = shape_along(op_.axis, x);
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
        const TensorView x = lowering.row_value(input(0));
        const TensorView y = lowering.make_value(output(), x.format);
        lowering.compute(
            hardmax_forward(shape_along(op_.axis, x.dims), {x.format.type, y.format.type}), {x, y});
    }

    void backward_data(Lowering& lowering) override {
        lowering.gradient(output());  // not read here, but it can be requested
        const TensorView dx = lowering.make_gradient(input(0), lowering.row_format(input(0)));
        lowering.compute(hardmax_backward(product(dx.dims), dx.format.type), {dx});
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

}  // namespace strata::cuda
