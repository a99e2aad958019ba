// SPDX-License-Identifier: MIT
#include "backend/cuda/cublas/matmul.h"
#include "backend/cuda/kernel_calls.h"
#include "backend/cuda/kernels/elementwise.h"
#include "backend/cuda/kernels/normalization.h"
#include "backend/cuda/lowering.h"

#include <algorithm>

namespace strata::cuda {

namespace {

// Batch by input and output features: every operand is a row-major matrix.
class FullyConnectedLowering : public LayerLowering {
public:
    FullyConnectedLowering(const Layer& layer, const FullyConnected& op)
        : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.row_value(input(0));
        const TensorView weight = lowering.value(input(1), x.format);
        const TensorView y = lowering.make_value(output(), x.format);
        std::vector<TensorView> views = {x, weight, y};
        if (op_.bias) {
            views.push_back(lowering.value(input(2), x.format));
        }
        compute(lowering,
                {.m = batch(x),
                 .n = op_.out_features,
                 .k = features(x),
                 .a = {x.format.type, features(x)},
                 .b = {weight.format.type, features(x), 0, true},
                 .y = {y.format.type, op_.out_features},
                 .has_bias = op_.bias},
                std::move(views));
    }

    void backward_data(Lowering& lowering) override {
        const TensorView dy = lowering.row_gradient(output());
        const TensorView weight = lowering.value(input(1), dy.format);
        const TensorView dx = lowering.make_gradient(input(0), dy.format);
        compute(lowering,
                {.m = batch(dx),
                 .n = features(dx),
                 .k = op_.out_features,
                 .a = {dy.format.type, op_.out_features},
                 .b = {weight.format.type, features(dx)},
                 .y = {dx.format.type, features(dx)}},
                {dy, weight, dx});
    }

    void backward_weights(Lowering& lowering) override {
        std::vector<Call> calls;
        if (lowering.needs_gradient(input(1))) {
            calls.push_back(weight_gradient(lowering));
        }
        if (op_.bias && lowering.needs_gradient(input(2))) {
            std::ranges::move(bias_gradient(lowering), std::back_inserter(calls));
        }
        lowering.compute({matmul_implementation}, std::move(calls));
    }

private:
    static std::int64_t batch(const TensorView& x) { return x.dims[0]; }
    static std::int64_t features(const TensorView& x) { return product(x.dims) / x.dims[0]; }

    void compute(Lowering& lowering, Matmul matmul, std::vector<TensorView> views) const {
        matmul.single_precision = lowering.execution().numerics.single_precision;
        const TensorView& first = views.front();
        StepText text = {matmul_implementation, text_of(first.dims, first.format)};
        lowering.compute(std::move(text), {matmul_call(matmul, std::move(views))});
    }

    Call weight_gradient(Lowering& lowering) const {
        const TensorView x = lowering.row_value(input(0));
        const TensorView dy = lowering.row_gradient(output());
        const TensorView dw = lowering.make_gradient(input(1), {ElementType::f32, Order::rows});
        return matmul_call({.m = op_.out_features,
                            .n = features(x),
                            .k = batch(x),
                            .a = {dy.format.type, op_.out_features, 0, true},
                            .b = {x.format.type, features(x)},
                            .y = {dw.format.type, features(x)},
                            .single_precision = lowering.execution().numerics.single_precision},
                           {dy, x, dw});
    }

    std::vector<Call> bias_gradient(Lowering& lowering) const {
        const TensorView dy = lowering.row_gradient(output());
        const TensorView db = lowering.make_gradient(input(2), {ElementType::f32, Order::rows});
        const FoldShape shape = {.extents = dy.dims,
                                 .folded = {true, false},
                                 .inputs = {{op_.out_features, 1}},
                                 .output = {0, 1}};
        const std::array types = {dy.format.type, db.format.type};
        return fold_calls(lowering,
                          fills_packs(op_.out_features)
                              ? row_sums("strata:bias_gradient", batch(dy), op_.out_features, types)
                              : sum_fold("strata:bias_gradient", shape, types),
                          {dy}, {db});
    }

    const FullyConnected& op_;
};

}  // namespace

Made lower(const Layer& layer, const FullyConnected& op) {
    return std::make_unique<FullyConnectedLowering>(layer, op);
}

}  // namespace strata::cuda
