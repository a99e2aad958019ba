// SPDX-License-Identifier: MIT
#include "backend/cuda/kernel_calls.h"
#include "backend/cuda/kernels/elementwise.h"
#include "backend/cuda/kernels/movement.h"
#include "backend/cuda/lowering.h"

#include <algorithm>

namespace strata::cuda {

namespace {

class SelectLowering : public LayerLowering {
public:
    using LayerLowering::LayerLowering;

    void forward(Lowering& lowering) override {
        const Order order = common_order(lowering, layer_);
        const TensorView condition = operand_value(lowering, layer_, 0, order);
        const TensorView a = operand_value(lowering, layer_, 1, order);
        const TensorView b = operand_value(lowering, layer_, 2, order);
        const TensorView y =
            lowering.make_value(output(), {lowering.element_type(output()), order});
        lowering.compute(
            select_forward(y.dims,
                           {broadcast_strides(condition, y.dims), broadcast_strides(a, y.dims),
                            broadcast_strides(b, y.dims), strides_of(y.dims, order)},
                           {condition.format.type, a.format.type, b.format.type, y.format.type}),
            {condition, a, b, y});
    }

    void backward_data(Lowering& lowering) override { backward(lowering, Role::activation); }
    void backward_weights(Lowering& lowering) override { backward(lowering, Role::parameter); }

private:
    void backward(Lowering& lowering, Role role) {
        std::vector<Call> calls;
        for (std::size_t operand = 0; operand < 3; ++operand) {
            if (receives_gradient(lowering, layer_, operand, role)) {
                std::ranges::move(gradient_calls(lowering, operand), std::back_inserter(calls));
            }
        }
        lowering.compute({"strata:select_backward"}, std::move(calls));
    }

    // The condition has no gradient: it only decides which of the two is taken.
    std::vector<Call> gradient_calls(Lowering& lowering, std::size_t operand) const {
        const TensorView dy = lowering.shaped_gradient(output());
        const TensorView condition = operand_value(lowering, layer_, 0, dy.format.order);
        const TensorView dx = lowering.make_gradient(
            input(operand), gradient_format(lowering, input(operand), dy.format.order));
        if (operand == 0) {
            return {Call{fill("strata:zero", product(dx.dims), dx.format.type, 0), {dx}}};
        }
        return fold_calls(lowering,
                          select_gradient(operand == 1, broadcast_fold({dy, condition}, dx),
                                          {dy.format.type, condition.format.type, dx.format.type}),
                          {dy, condition}, {dx});
    }
};

}  // namespace

Made lower(const Layer& layer, const Select&) {
    return std::make_unique<SelectLowering>(layer);
}

}  // namespace strata::cuda
