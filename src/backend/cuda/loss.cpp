// SPDX-License-Identifier: MIT
#include "backend/cuda/fold_calls.h"
#include "backend/cuda/kernels/reduction.h"
#include "backend/cuda/kernels/softmax.h"
#include "backend/cuda/layer_lowering.h"

namespace strata::cuda {

namespace {

class LossLowering : public LayerLowering {
public:
    using LayerLowering::LayerLowering;

    // Computes each image's loss, then their mean.
    void forward(Lowering& lowering) override {
        const TensorView x = lowering.row_value(input(0));
        const TensorView labels = lowering.value(input(1), {ElementType::f32, Order::rows});
        const TensorView losses = lowering.make_transient({x.dims[0]}, {ElementType::f32});
        const TensorView loss = lowering.make_value(output(), {ElementType::f32, Order::rows});
        std::vector<Call> calls = {
            {cross_entropy_forward(x.dims[0], x.dims[1], {x.format.type, labels.format.type}),
             {x, labels, losses}}};
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
            {x, labels, dx});
    }
};

}  // namespace

Made lower(const Layer& layer, const SoftmaxCrossEntropy&) {
    return std::make_unique<LossLowering>(layer);
}

}  // namespace strata::cuda
