// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/softmax.h"

#include "backend/cuda/layer_lowering.h"

namespace strata::cuda {

namespace {

class SoftmaxLowering : public LayerLowering {
public:
    SoftmaxLowering(const Layer& layer, const Softmax& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.row_value(input(0));
        const TensorView y = lowering.make_value(output(), x.format);
        lowering.compute(softmax_forward(shape_of(x.dims), {x.format.type, y.format.type}), {x, y});
    }

    void backward_data(Lowering& lowering) override {
        const TensorView y = lowering.row_value(output());
        const TensorView dy = lowering.row_gradient(output());
        const TensorView dx = lowering.make_gradient(input(0), dy.format);
        lowering.compute(
            softmax_backward(shape_of(y.dims), {y.format.type, dy.format.type, dx.format.type}),
            {y, dy, dx});
    }

private:
    SoftmaxShape shape_of(const Dims& dims) const {
        const auto rank = static_cast<std::int64_t>(dims.size());
        const auto axis = static_cast<std::size_t>(op_.axis < 0 ? op_.axis + rank : op_.axis);
        return {product(std::span(dims).first(axis)), dims[axis],
                product(std::span(dims).subspan(axis + 1)), op_.logarithm};
    }

    const Softmax& op_;
};

}  // namespace

Made lower(const Layer& layer, const Softmax& op) {
    return std::make_unique<SoftmaxLowering>(layer, op);
}

}  // namespace strata::cuda
