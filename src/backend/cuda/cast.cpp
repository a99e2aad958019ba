// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/cast.h"

#include "backend/cuda/layer_lowering.h"

namespace strata::cuda {

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

}  // namespace strata::cuda
