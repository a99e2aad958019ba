// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/elementwise.h"

#include "backend/cuda/lowering.h"

namespace strata::cuda {

namespace {

class UnaryLowering : public LayerLowering {
public:
    UnaryLowering(const Layer& layer, const Unary& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.shaped_value(input(0));
        const TensorView y =
            lowering.make_value(output(), {lowering.element_type(output()), x.format.order});
        lowering.compute(unary_forward(op_, product(x.dims), {x.format.type, y.format.type}),
                         {x, y});
    }

    void backward_data(Lowering& lowering) override {
        const TensorId read = op_.reads().output_for_data ? output() : input(0);
        const TensorView data = lowering.shaped_value(read);
        const TensorView dy = lowering.gradient(output(), data.format);
        const TensorView dx = lowering.make_gradient(input(0), data.format);
        lowering.compute(unary_backward(op_, product(data.dims),
                                        {data.format.type, dy.format.type, dx.format.type}),
                         {data, dy, dx});
    }

private:
    const Unary& op_;
};

}  // namespace

Made lower(const Layer& layer, const Unary& op) {
    return std::make_unique<UnaryLowering>(layer, op);
}

}  // namespace strata::cuda
