// SPDX-License-Identifier: MIT
#include "backend/cuda/kernel_calls.h"
#include "backend/cuda/kernels/elementwise.h"
#include "backend/cuda/kernels/movement.h"
#include "backend/cuda/lowering.h"

namespace strata::cuda {

namespace {

Kernel dense_copy(const TensorView& from, const TensorView& to) {
    return strided_copy("strata:copy", {product(from.dims)}, {from.format.type, {1}},
                        {to.format.type, {1}});
}

// A real copy, because copying is the purpose of the layer.
class IdentityLowering : public LayerLowering {
public:
    using LayerLowering::LayerLowering;

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.shaped_value(input(0));
        const TensorView y = lowering.make_value(output(), x.format);
        lowering.compute(dense_copy(x, y), {x, y});
    }

    void backward_data(Lowering& lowering) override {
        const TensorView dy = lowering.shaped_gradient(output());
        const TensorView dx = lowering.make_gradient(input(0), dy.format);
        lowering.compute(dense_copy(dy, dx), {dy, dx});
    }
};

}  // namespace

Made lower(const Layer& layer, const Identity&) {
    return std::make_unique<IdentityLowering>(layer);
}

namespace {

class CastLowering : public LayerLowering {
public:
    CastLowering(const Layer& layer, const Cast& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.shaped_value(input(0));
        const TensorView y =
            lowering.make_value(output(), {lowering.element_type(output()), x.format.order});
        lowering.compute(cast(op_.dtype, product(x.dims), {x.format.type, y.format.type}), {x, y});
    }

    // The gradient passes through unchanged: rounding has no slope of its own.
    void backward_data(Lowering& lowering) override {
        const TensorView dy = lowering.shaped_gradient(output());
        const TensorView dx =
            lowering.make_gradient(input(0), {lowering.element_type(input(0)), dy.format.order});
        lowering.compute(cast(DataType::f32, product(dy.dims), {dy.format.type, dx.format.type}),
                         {dy, dx});
    }

private:
    const Cast& op_;
};

}  // namespace

Made lower(const Layer& layer, const Cast& op) {
    return std::make_unique<CastLowering>(layer, op);
}

namespace {

// Broadcasts a tensor; its gradient is the sum over the copies.
class ExpandLowering : public LayerLowering {
public:
    using LayerLowering::LayerLowering;

    void forward(Lowering& lowering) override {
        const TensorView x = operand_value(lowering, layer_, 0, Order::rows);
        const TensorView y = lowering.make_value(output(), lowering.row_format(output()));
        lowering.compute(
            strided_copy("strata:expand", y.dims, {x.format.type, broadcast_strides(x, y.dims)},
                         {y.format.type, strides_of(y.dims, Order::rows)}),
            {x, y});
    }
    void backward_data(Lowering& lowering) override { backward(lowering); }
    void backward_weights(Lowering& lowering) override { backward(lowering); }

private:
    void backward(Lowering& lowering) const {
        const TensorView dy = lowering.shaped_gradient(output());
        const TensorView dx =
            lowering.make_gradient(input(0), gradient_format(lowering, input(0), Order::rows));
        lowering.compute({"strata:broadcast_sum", text_of(dy.dims, dy.format)},
                         fold_calls(lowering,
                                    sum_fold("strata:broadcast_sum", broadcast_fold({dy}, dx),
                                             {dy.format.type, dx.format.type}),
                                    {dy}, {dx}));
    }
};

}  // namespace

Made lower(const Layer& layer, const Expand&) {
    return std::make_unique<ExpandLowering>(layer);
}

}  // namespace strata::cuda
