// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/movement.h"
#include "backend/cuda/lowering.h"

namespace strata::cuda {

namespace {

// Reads the input with its axes permuted and copies it to row-major.
class TransposeLowering : public LayerLowering {
public:
    TransposeLowering(const Layer& layer, const Transpose& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.shaped_value(input(0));
        const TensorView y = lowering.make_value(output(), {x.format.type, Order::rows});
        const Dims from = strides_of(x.dims, x.format.order);
        Dims seen;
        for (const std::int64_t axis : op_.permutation) {
            seen.push_back(from[static_cast<std::size_t>(axis)]);
        }
        lowering.compute(strided_copy("strata:transpose", y.dims, {x.format.type, seen},
                                      {y.format.type, strides_of(y.dims, Order::rows)}),
                         {x, y});
    }

    void backward_data(Lowering& lowering) override {
        const TensorView dy = lowering.shaped_gradient(output());
        const TensorView dx = lowering.make_gradient(input(0), {dy.format.type, Order::rows});
        const Dims to = strides_of(dx.dims, Order::rows);
        Dims seen;
        for (const std::int64_t axis : op_.permutation) {
            seen.push_back(to[static_cast<std::size_t>(axis)]);
        }
        lowering.compute(strided_copy("strata:transpose", dy.dims,
                                      {dy.format.type, strides_of(dy.dims, dy.format.order)},
                                      {dx.format.type, seen}),
                         {dy, dx});
    }

private:
    const Transpose& op_;
};

}  // namespace

Made lower(const Layer& layer, const Transpose& op) {
    return std::make_unique<TransposeLowering>(layer, op);
}

}  // namespace strata::cuda
