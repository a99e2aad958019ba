// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/movement.h"

#include "backend/cuda/kernel_calls.h"
#include "backend/cuda/lowering.h"

namespace strata::cuda {

namespace {

class PadLowering : public LayerLowering {
public:
    PadLowering(const Layer& layer, const Pad& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.row_value(input(0));
        const TensorView y = lowering.make_value(output(), x.format);
        lowering.compute(pad_forward(op_, x.dims, y.dims, {x.format.type, y.format.type}), {x, y});
    }

    void backward_data(Lowering& lowering) override {
        const TensorView dy = lowering.row_gradient(output());
        const TensorView dx = lowering.make_gradient(input(0), dy.format);
        lowering.compute(
            {"strata:pad_backward", text_of(dx.dims, dx.format), "atomic"},
            scattered_gradient(lowering, dx, [&](const TensorView& sum) {
                return Call{pad_scatter(op_, dx.dims, dy.dims, dy.format.type), {dy, sum}};
            }));
    }

private:
    const Pad& op_;
};

}  // namespace

Made lower(const Layer& layer, const Pad& op) {
    return std::make_unique<PadLowering>(layer, op);
}

}  // namespace strata::cuda
