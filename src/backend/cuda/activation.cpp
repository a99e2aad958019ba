// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/elementwise.h"

#include "backend/cuda/lowering.h"

namespace strata::cuda {

namespace {

class ActivationLowering : public LayerLowering {
public:
    ActivationLowering(const Layer& layer, const Activation& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.shaped_value(input(0));
        const bool in_place = runs_in_place(lowering.graph(), layer_, lowering.execution()) &&
                              lowering.may_overwrite(x);
        if (in_place) {
            lowering.share_value(output(), x);
        }
        const TensorView y = in_place ? x : lowering.make_value(output(), x.format);
        lowering.compute(activation_forward(op_, product(x.dims), {x.format.type, y.format.type}),
                         {x, y});
        if (in_place) {
            lowering.forget_value(input(0));
        }
    }

    void backward_data(Lowering& lowering) override {
        const TensorId read = op_.reads().output_for_data ? output() : input(0);
        const TensorView data = lowering.shaped_value(read);
        const TensorView dy = lowering.gradient(output(), data.format);
        const TensorView dx = input_gradient(lowering, dy);
        lowering.compute(activation_backward(op_, product(data.dims),
                                             {data.format.type, dy.format.type, dx.format.type}),
                         {data, dy, dx});
    }

private:
    TensorView input_gradient(Lowering& lowering, const TensorView& dy) const {
        if (lowering.may_overwrite(dy)) {
            lowering.share_gradient(input(0), dy);
            return dy;
        }
        return lowering.make_gradient(input(0), dy.format);
    }

    const Activation& op_;
};

}  // namespace

Made lower(const Layer& layer, const Activation& op) {
    return std::make_unique<ActivationLowering>(layer, op);
}

}  // namespace strata::cuda
