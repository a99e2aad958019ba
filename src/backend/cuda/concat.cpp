// SPDX-License-Identifier: MIT
#include "backend/cuda/kernel_calls.h"
#include "backend/cuda/kernels/movement.h"
#include "backend/cuda/lowering.h"
#include "backend/lower/axis.h"

namespace strata::cuda {

namespace {

class ConcatLowering : public LayerLowering {
public:
    ConcatLowering(const Layer& layer, const Concat& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const Order order = lowering.shaped_value(input(0)).format.order;
        const TensorView y =
            lowering.make_value(output(), {lowering.element_type(output()), order});
        std::vector<Call> calls;
        std::int64_t first = 0;
        for (const TensorId tensor : layer_.inputs) {
            const TensorView x = lowering.value(tensor, {lowering.element_type(tensor), order});
            calls.push_back(
                {strided_copy("strata:concat", x.dims, side_of(x), part(y, first)), {x, y}});
            first += x.dims[axis(x)];
        }
        lowering.compute({"strata:concat", text_of(y.dims, y.format)}, std::move(calls));
    }

    void backward_data(Lowering& lowering) override { backward(lowering, Role::activation); }
    void backward_weights(Lowering& lowering) override { backward(lowering, Role::parameter); }

private:
    std::size_t axis(const TensorView& view) const {
        return axis_among(op_.axis, view.dims.size());
    }

    StridedSide part(const TensorView& view, std::int64_t first) const {
        StridedSide side = side_of(view);
        side.begin = first * side.strides[axis(view)];
        return side;
    }

    void backward(Lowering& lowering, Role role) const {
        const TensorView dy = lowering.shaped_gradient(output());
        std::vector<Call> calls;
        std::int64_t first = 0;
        for (std::size_t i = 0; i < layer_.inputs.size(); ++i) {
            if (receives_gradient(lowering, layer_, i, role)) {
                const TensorView dx = lowering.make_gradient(
                    input(i), gradient_format(lowering, input(i), dy.format.order));
                calls.push_back(
                    {strided_copy("strata:split", dx.dims, part(dy, first), side_of(dx)),
                     {dy, dx}});
            }
            first += lowering.dims(input(i))[axis(dy)];
        }
        lowering.compute({"strata:split", text_of(dy.dims, dy.format)}, std::move(calls));
    }

    const Concat& op_;
};

}  // namespace

Made lower(const Layer& layer, const Concat& op) {
    return std::make_unique<ConcatLowering>(layer, op);
}

}  // namespace strata::cuda
