// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/reduction.h"

#include "backend/cuda/kernel_calls.h"
#include "backend/cuda/kernels/elementwise.h"
#include "backend/cuda/kernels/movement.h"
#include "backend/cuda/lowering.h"

#include <algorithm>

namespace strata::cuda {

namespace {

class ReductionLowering : public LayerLowering {
public:
    ReductionLowering(const Layer& layer, const Reduction& op) : LayerLowering(layer), op_(op) {}

    // The backward pass compares terms with the statistic, so it is kept as it was before rounding
    // to the result's type.
    void forward(Lowering& lowering) override {
        const TensorView x = lowering.shaped_value(input(0));
        const TensorView y = lowering.make_value(output(), lowering.row_format(output()));
        const bool is_exact = y.format.type == ElementType::f32;
        exact_ = is_exact ? y : lowering.make_transient(y.dims, {ElementType::f32});
        std::vector<Call> calls = op_.kind == ReductionKind::log_sum_exp
                                      ? logarithm_calls(lowering, x, kept(*exact_, x))
                                      : statistic_calls(lowering, op_.kind, x, kept(*exact_, x));
        if (!is_exact) {
            calls.push_back({strided_copy("strata:narrow", {product(y.dims)},
                                          {ElementType::f32, {1}}, {y.format.type, {1}}),
                             {*exact_, y}});
        }
        lowering.compute({"strata:" + kind_of(layer_.op), text_of(x.dims, x.format)},
                         std::move(calls));
    }

    void backward_data(Lowering& lowering) override { backward(lowering); }
    void backward_weights(Lowering& lowering) override { backward(lowering); }

private:
    // A result with its reduced axes restored as 1, so that it can be broadcast.
    TensorView kept(const TensorView& result, const TensorView& x) const {
        Dims dims = x.dims;
        const auto rank = static_cast<std::int64_t>(dims.size());
        for (std::int64_t axis = 0; axis < rank; ++axis) {
            const bool named = std::ranges::find(op_.axes, axis) != op_.axes.end() ||
                               std::ranges::find(op_.axes, axis - rank) != op_.axes.end();
            if (op_.axes.empty() || named) {
                dims[static_cast<std::size_t>(axis)] = 1;
            }
        }
        return {result.buffer, dims, {result.format.type, Order::rows}, result.offset};
    }

    static std::vector<Call> statistic_calls(Lowering& lowering, ReductionKind kind,
                                             const TensorView& x, const TensorView& y) {
        return fold_calls(
            lowering,
            reduction_forward(kind, broadcast_fold({x}, y), {x.format.type, y.format.type}), {x},
            {y});
    }

    // Computes the greatest term, then the logarithm of the rest, then their sum.
    static std::vector<Call> logarithm_calls(Lowering& lowering, const TensorView& x,
                                             const TensorView& y) {
        const TensorView greatest = lowering.make_transient(y.dims, {ElementType::f32});
        const TensorView rest = lowering.make_transient(y.dims, {ElementType::f32});
        std::vector<Call> calls = statistic_calls(lowering, ReductionKind::maximum, x, greatest);
        std::ranges::move(
            fold_calls(
                lowering,
                reduction_forward(ReductionKind::log_sum_exp, broadcast_fold({x, greatest}, rest),
                                  {x.format.type, ElementType::f32, ElementType::f32}),
                {x, greatest}, {rest}),
            std::back_inserter(calls));
        calls.push_back({elementwise_forward(ElementwiseKind::add, false, product(y.dims),
                                             {ElementType::f32, ElementType::f32, y.format.type}),
                         {greatest, rest, y}});
        return calls;
    }

    bool chooses() const {
        return op_.kind == ReductionKind::maximum || op_.kind == ReductionKind::minimum;
    }

    void backward(Lowering& lowering) const {
        const TensorView x = lowering.shaped_value(input(0));
        const TensorView y = kept(*exact_, x);
        const TensorView dy = kept(lowering.row_gradient(output()), x);
        const TensorView dx =
            lowering.make_gradient(input(0), gradient_format(lowering, input(0), x.format.order));
        std::vector<Call> calls;
        const TensorView positions = chooses() ? position_of_chosen(lowering, x, y, calls) : y;
        FoldShape shape = broadcast_fold({x, dy, y, positions, dx}, y);
        calls.push_back({reduction_backward(op_.kind, shape,
                                            {x.format.type, dy.format.type, y.format.type,
                                             positions.format.type, dx.format.type}),
                         {x, dy, y, positions, dx}});
        lowering.compute({"strata:" + kind_of(layer_.op) + "_backward"}, std::move(calls));
    }

    static TensorView position_of_chosen(Lowering& lowering, const TensorView& x,
                                         const TensorView& y, std::vector<Call>& calls) {
        const TensorView positions = lowering.make_transient(y.dims, {ElementType::f32});
        calls = fold_calls(
            lowering,
            reduction_place(broadcast_fold({x, y}, positions), {x.format.type, y.format.type}),
            {x, y}, {positions});
        return positions;
    }

    const Reduction& op_;
    std::optional<TensorView> exact_;
};

}  // namespace

Made lower(const Layer& layer, const Reduction& op) {
    return std::make_unique<ReductionLowering>(layer, op);
}

}  // namespace strata::cuda
