// SPDX-License-Identifier: MIT
#include "backend/cuda/broadcast.h"
#include "backend/cuda/kernels/copy.h"
#include "backend/cuda/kernels/elementwise.h"
#include "backend/cuda/layer_lowering.h"

namespace strata::cuda {

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
