// SPDX-License-Identifier: MIT
#include "backend/cuda/kernel_calls.h"
#include "backend/cuda/lowering.h"
#include "backend/cuda/products.h"

namespace strata::cuda {

namespace {

class MatMulLowering : public LayerLowering {
public:
    MatMulLowering(const Layer& layer, const MatMul& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView a = operand(lowering, 0);
        const TensorView b = operand(lowering, 1);
        const TensorView y = lowering.make_value(output(), {a.format.type, Order::rows});
        compute(lowering, matrix(a, op_.transpose_a), matrix(b, op_.transpose_b), matrix(y, false),
                y.dims);
    }

    void backward_data(Lowering& lowering) override { backward(lowering, Role::activation); }
    void backward_weights(Lowering& lowering) override { backward(lowering, Role::parameter); }

private:
    TensorView operand(Lowering& lowering, std::size_t number) const {
        return lowering.value(input(number), lowering.row_format(output()));
    }

    static Stacked matrix(const TensorView& view, bool transposed) {
        return {view, {view.format.type, view.dims.back(), 0, transposed}, {}};
    }

    void backward(Lowering& lowering, Role role) {
        std::vector<Call> calls;
        for (std::size_t i = 0; i < 2; ++i) {
            if (receives_gradient(lowering, layer_, i, role)) {
                add_gradient(lowering, i, calls);
            }
        }
        lowering.compute({matmul_implementation}, std::move(calls));
    }

    // da = dy b^T and db = a^T dy, transposed if the operand is stored transposed.
    void add_gradient(Lowering& lowering, std::size_t number, std::vector<Call>& calls) const {
        const TensorView dy = lowering.row_gradient(output());
        const TensorView other = operand(lowering, 1 - number);
        const TensorView dx = lowering.make_gradient(
            input(number), gradient_format(lowering, input(number), Order::rows));
        const bool own = number == 0 ? op_.transpose_a : op_.transpose_b;
        const bool its = number == 0 ? op_.transpose_b : op_.transpose_a;
        const bool dy_first = (number == 0) != own;
        const Stacked gradient = matrix(dy, own);
        const Stacked factor = matrix(other, own ? its : !its);
        const auto made = calls_of(lowering, dy_first ? gradient : factor,
                                   dy_first ? factor : gradient, matrix(dx, false), dy.dims);
        calls.insert(calls.end(), made.begin(), made.end());
    }

    void compute(Lowering& lowering, const Stacked& a, const Stacked& b, const Stacked& y,
                 const Dims& result) const {
        lowering.compute({matmul_implementation, text_of(a.view.dims, a.view.format)},
                         calls_of(lowering, a, b, y, result));
    }

    // `result` has the extents of the result; all but its last two are those of the stack.
    std::vector<Call> calls_of(const Lowering& lowering, Stacked a, Stacked b, Stacked y,
                               const Dims& result) const {
        const Dims extents(result.begin(), result.end() - 2);
        for (Stacked* each : {&a, &b, &y}) {
            each->strides = stack_strides(each->view, extents);
        }
        const auto& first = a.view.dims;
        const auto& last = y.view.dims;
        const Matmul shape = {.m = last[last.size() - 2],
                              .n = last.back(),
                              .k = a.matrix.transposed ? first[first.size() - 2] : first.back(),
                              .single_precision = lowering.execution().numerics.single_precision};
        return joined_calls(shape, extents, a, b, y);
    }

    static Dims stack_strides(const TensorView& view, const Dims& extents) {
        const Dims strides = strides_of(view.dims, Order::rows);
        return broadcast_strides(Dims(view.dims.begin(), view.dims.end() - 2),
                                 Dims(strides.begin(), strides.end() - 2), extents);
    }

    // A stack that shares one second matrix is one tall matrix; so is a stack whose products are
    // all summed.
    static std::vector<Call> joined_calls(const Matmul& shape, const Dims& extents,
                                          const Stacked& a, const Stacked& b, const Stacked& y) {
        const std::int64_t count = product(extents);
        const bool shares_b = is_shared(b) && is_dense(a, extents) && is_dense(y, extents);
        const bool sums_all = is_shared(y) && is_dense(a, extents) && is_dense(b, extents);
        Matmul tall = shape;
        if (shares_b && !a.matrix.transposed) {
            tall.m *= count;
        } else if (sums_all && a.matrix.transposed && !b.matrix.transposed) {
            tall.k *= count;
        } else {
            return product_calls(shape, extents, a, b, y);
        }
        return product_calls(tall, {}, flat(a), flat(b), flat(y));
    }

    static bool is_shared(const Stacked& one) {
        return product(std::span(one.view.dims).first(one.view.dims.size() - 2)) == 1;
    }
    static bool is_dense(const Stacked& one, const Dims& extents) {
        return product(std::span(one.view.dims).first(one.view.dims.size() - 2)) ==
               product(extents);
    }
    static Stacked flat(Stacked one) {
        one.strides.clear();
        return one;
    }

    const MatMul& op_;
};

}  // namespace

Made lower(const Layer& layer, const MatMul& op) {
    return std::make_unique<MatMulLowering>(layer, op);
}

}  // namespace strata::cuda
