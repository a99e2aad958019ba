// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/normalization.h"

#include "backend/cuda/kernel_calls.h"
#include "backend/cuda/lowering.h"

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

    // One pass over the data sums both gradients.
    void backward_weights(Lowering& lowering) override {
        const NormalizedRows shape = rows_for_kernels(normalization_);
        const TensorView x = lowering.row_value(input(0));
        const TensorView dy = lowering.row_gradient(output());
        const std::vector<TensorView> sums = {sum_of(lowering, normalization_.scale),
                                              sum_of(lowering, normalization_.shift)};
        lowering.compute(
            {"strata:row_parameters"},
            fold_calls(lowering, row_parameter_fold(shape, {dy.format.type, x.format.type}),
                       {dy, x, *mean_, *inverse_}, sums));
    }

private:
    // If there is none, the kernel gets an arbitrary address that it does not read.
    TensorView parameter(Lowering& lowering, std::size_t operand) const {
        return operand == 0 ? *mean_ : lowering.value(input(operand), parameter_format);
    }

    // A sum is a gradient only if there is such an operand and it is trained.
    TensorView sum_of(Lowering& lowering, std::size_t operand) const {
        if (operand != 0 && lowering.needs_gradient(input(operand))) {
            return lowering.make_gradient(input(operand), parameter_format);
        }
        const std::int64_t per_group = normalization_.width / normalization_.inner;
        return lowering.make_transient({normalization_.groups * per_group}, parameter_format);
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
