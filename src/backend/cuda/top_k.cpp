// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/top_k.h"

#include "backend/cuda/layer_lowering.h"

namespace strata::cuda {

namespace {

class TopKLowering : public LayerLowering {
public:
    TopKLowering(const Layer& layer, const TopK& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const Place x = lowering.row_value(input(0));
        const Place values = lowering.make_value(output(), x.format);
        positions_ = lowering.make_value(layer_.outputs[1], {ElementType::f32, Order::rows});
        lowering.compute(top_k_forward(shape_of(x.dims), {x.format.type, values.format.type}),
                         {x, values, *positions_});
    }

    void backward_data(Lowering& lowering) override {
        const Place dy = lowering.row_gradient(output());
        const Place dx = lowering.make_gradient(input(0), dy.format);
        lowering.compute(top_k_backward(shape_of(dx.dims), {dy.format.type, dx.format.type}),
                         {dy, *positions_, dx});
    }

private:
    TopKShape shape_of(const Dims& x) const {
        const auto rank = static_cast<std::int64_t>(x.size());
        const auto axis = static_cast<std::size_t>(op_.axis < 0 ? op_.axis + rank : op_.axis);
        return {product(std::span(x).first(axis)), x[axis], product(std::span(x).subspan(axis + 1)),
                op_.k, op_.largest};
    }

    const TopK& op_;
    std::optional<Place> positions_;
};

}  // namespace

Made lower(const Layer& layer, const TopK& op) {
    return std::make_unique<TopKLowering>(layer, op);
}

}  // namespace strata::cuda
