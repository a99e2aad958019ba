// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/normalization.h"

#include "backend/cuda/lowering.h"

namespace strata::cuda {

namespace {

class LrnLowering : public LayerLowering {
public:
    LrnLowering(const Layer& layer, const Lrn& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.shaped_value(input(0));
        const TensorView y = lowering.make_value(output(), x.format);
        order_ = x.format.order;
        lowering.compute(lrn_forward(op_, shape_of(x), {x.format.type, y.format.type}), {x, y});
    }

    void backward_data(Lowering& lowering) override {
        const TensorView x = lowering.value(input(0), {lowering.element_type(input(0)), order_});
        const TensorView dy = lowering.gradient(output(), x.format);
        const TensorView dx = lowering.make_gradient(input(0), x.format);
        lowering.compute(
            lrn_backward(op_, shape_of(x), {x.format.type, dy.format.type, dx.format.type}),
            {x, dy, dx});
    }

private:
    static LrnShape shape_of(const TensorView& x) {
        return {x.dims[0], x.dims[1], product(std::span(x.dims).subspan(2)), x.format.order};
    }

    const Lrn& op_;
    Order order_ = Order::rows;
};

}  // namespace

Made lower(const Layer& layer, const Lrn& op) {
    return std::make_unique<LrnLowering>(layer, op);
}

}  // namespace strata::cuda
