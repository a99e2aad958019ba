// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/normalization.h"

#include "backend/cuda/kernel_calls.h"
#include "backend/cuda/lowering.h"

#include <algorithm>

namespace strata::cuda {

namespace {

constexpr Format parameter_format = {ElementType::f32, Order::rows};

// Layer and group normalisation: rows of consecutive elements, each by its own statistics.
template <class Normalization>
class RowNormalizationLowering : public LayerLowering {
public:
    RowNormalizationLowering(const Layer& layer, const Normalization& op)
        : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        normalization_ = rows_of(op_, signature_of(lowering.graph(), layer_));
        const NormalizedRows shape = rows_for_kernels(normalization_);
        const TensorView x = lowering.row_value(input(0));
        const TensorView y = lowering.make_value(output(), x.format);
        mean_ = lowering.make_transient({shape.rows}, parameter_format);
        inverse_ = lowering.make_transient({shape.rows}, parameter_format);
        lowering.compute(row_normalization_forward(shape, {x.format.type, y.format.type}),
                         {x, parameter(lowering, normalization_.scale),
                          parameter(lowering, normalization_.shift), y, *mean_, *inverse_});
    }

    void backward_data(Lowering& lowering) override {
        const TensorView x = lowering.row_value(input(0));
        const TensorView dy = lowering.row_gradient(output());
        const TensorView dx = lowering.make_gradient(input(0), x.format);
        lowering.compute(
            row_normalization_backward(rows_for_kernels(normalization_),
                                       {x.format.type, dy.format.type, dx.format.type}),
            {x, dy, parameter(lowering, normalization_.scale), *mean_, *inverse_, dx});
    }

    void backward_weights(Lowering& lowering) override {
        std::vector<Call> calls;
        for (std::size_t operand = 1; operand < layer_.inputs.size(); ++operand) {
            if (lowering.needs_gradient(input(operand))) {
                std::ranges::move(gradient_calls(lowering, operand), std::back_inserter(calls));
            }
        }
        lowering.compute({"strata:row_parameters"}, std::move(calls));
    }

private:
    // If there is none, the kernel gets an arbitrary address that it does not read.
    TensorView parameter(Lowering& lowering, std::size_t operand) const {
        return operand == 0 ? *mean_ : lowering.value(input(operand), parameter_format);
    }

    std::vector<Call> gradient_calls(Lowering& lowering, std::size_t operand) const {
        const TensorView x = lowering.row_value(input(0));
        const TensorView dy = lowering.row_gradient(output());
        const TensorView sum = lowering.make_gradient(input(operand), parameter_format);
        return fold_calls(
            lowering,
            row_parameter_fold(operand == normalization_.scale, rows_for_kernels(normalization_),
                               {dy.format.type, x.format.type}),
            {dy, x, *mean_, *inverse_}, {sum});
    }

    const Normalization& op_;
    RowNormalization normalization_;
    std::optional<TensorView> mean_;
    std::optional<TensorView> inverse_;
};

}  // namespace

Made lower(const Layer& layer, const LayerNormalization& op) {
    return std::make_unique<RowNormalizationLowering<LayerNormalization>>(layer, op);
}

Made lower(const Layer& layer, const GroupNormalization& op) {
    return std::make_unique<RowNormalizationLowering<GroupNormalization>>(layer, op);
}

}  // namespace strata::cuda
