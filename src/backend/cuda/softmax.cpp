// SPDX-License-Identifier: MIT
#include "backend/cuda/kernel_calls.h"
#include "backend/cuda/kernels/reduction.h"
#include "backend/cuda/lowering.h"
#include "backend/lower/axis.h"

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
        const AxisExtents around = extents_around(op_.axis, dims);
        return {around.outer, around.extent, around.inner, op_.logarithm};
    }

    const Softmax& op_;
};

}  // namespace

Made lower(const Layer& layer, const Softmax& op) {
    return std::make_unique<SoftmaxLowering>(layer, op);
}

namespace {

class LossLowering : public LayerLowering {
public:
    using LayerLowering::LayerLowering;

    // Computes each image's loss, then their mean.
    void forward(Lowering& lowering) override {
        const TensorView x = lowering.row_value(input(0));
        const TensorView labels = lowering.value(input(1), {ElementType::f32, Order::rows});
        const TensorView losses = lowering.make_transient({x.dims[0]}, {ElementType::f32});
        normalizers_ = lowering.make_transient({2, x.dims[0]}, {ElementType::f32});
        const TensorView loss = lowering.make_value(output(), {ElementType::f32, Order::rows});
        std::vector<Call> calls = {
            {cross_entropy_forward(x.dims[0], x.dims[1], {x.format.type, labels.format.type}),
             {x, labels, losses, *normalizers_}}};
        const FoldShape all = {
            .extents = {x.dims[0]}, .folded = {true}, .inputs = {{1}}, .output = {0}};
        for (Call& call : fold_calls(
                 lowering,
                 reduction_forward(ReductionKind::mean, all, {ElementType::f32, loss.format.type}),
                 {losses}, {loss})) {
            calls.push_back(std::move(call));
        }
        lowering.compute({"strata:cross_entropy_forward", text_of(x.dims, x.format)},
                         std::move(calls));
    }

    void backward_data(Lowering& lowering) override {
        const TensorView x = lowering.row_value(input(0));
        const TensorView labels = lowering.value(input(1), {ElementType::f32, Order::rows});
        const TensorView dx = lowering.make_gradient(input(0), x.format);
        lowering.compute(
            cross_entropy_backward(x.dims[0], x.dims[1],
                                   {x.format.type, labels.format.type, dx.format.type}),
            {x, labels, *normalizers_, dx});
    }

private:
    std::optional<TensorView> normalizers_;
};

}  // namespace

Made lower(const Layer& layer, const SoftmaxCrossEntropy&) {
    return std::make_unique<LossLowering>(layer);
}

}  // namespace strata::cuda
