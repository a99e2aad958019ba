// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/elementwise.h"

#include "backend/cuda/kernel_calls.h"
#include "backend/cuda/lowering.h"

#include <algorithm>

namespace strata::cuda {

namespace {

class ElementwiseLowering : public LayerLowering {
public:
    ElementwiseLowering(const Layer& layer, const Elementwise& op)
        : LayerLowering(layer), op_(op) {}

    // Combines two operands at a time; the output's memory holds the intermediate result.
    void forward(Lowering& lowering) override {
        const Order order = common_order(lowering, layer_);
        const TensorView y =
            lowering.make_value(output(), {lowering.element_type(output()), order});
        const bool cuts = op_.kind == ElementwiseKind::divide &&
                          !is_floating(lowering.graph().tensors[output()].tensor.dtype);
        std::vector<Call> calls;
        TensorView left = operand_value(lowering, layer_, 0, order);
        for (std::size_t i = 1; i < layer_.inputs.size(); ++i) {
            calls.push_back(combined(left, operand_value(lowering, layer_, i, order), y, cuts));
            left = y;
        }
        lowering.compute({"strata:" + kind_of(layer_.op), text_of(y.dims, y.format)},
                         std::move(calls));
    }

    void backward_data(Lowering& lowering) override { backward(lowering, Role::activation); }
    void backward_weights(Lowering& lowering) override { backward(lowering, Role::parameter); }

private:
    Call combined(const TensorView& a, const TensorView& b, const TensorView& y, bool cuts) const {
        const std::array types = {a.format.type, b.format.type, y.format.type};
        const bool alike = a.dims == y.dims && b.dims == y.dims;
        Kernel kernel = alike ? elementwise_forward(op_.kind, cuts, product(y.dims), types)
                              : elementwise_broadcast(
                                    op_.kind, cuts, y.dims,
                                    {broadcast_strides(a, y.dims), broadcast_strides(b, y.dims),
                                     strides_of(y.dims, y.format.order)},
                                    types);
        return {std::move(kernel), {a, b, y}};
    }

    void backward(Lowering& lowering, Role role) {
        std::vector<Call> calls;
        for (std::size_t i = 0; i < layer_.inputs.size(); ++i) {
            if (receives_gradient(lowering, layer_, i, role)) {
                add_gradient(lowering, i, calls);
            }
        }
        lowering.compute({"strata:" + kind_of(layer_.op) + "_backward"}, std::move(calls));
    }

    void add_gradient(Lowering& lowering, std::size_t operand, std::vector<Call>& calls) {
        const TensorView dy = lowering.shaped_gradient(output());
        if (op_.kind == ElementwiseKind::add && lowering.dims(input(operand)) == dy.dims) {
            lowering.share_gradient(input(operand), dy);
            return lowering.protect(dy);
        }
        std::vector<TensorView> inputs = {dy};
        for (const std::size_t each : operands_read(operand)) {
            inputs.push_back(operand_value(lowering, layer_, each, dy.format.order));
        }
        const TensorView dx = lowering.make_gradient(
            input(operand), gradient_format(lowering, input(operand), dy.format.order));
        FoldKernels fold = gradient_fold(operand, inputs, dx);
        std::ranges::move(fold_calls(lowering, std::move(fold), inputs, {dx}),
                          std::back_inserter(calls));
    }

    // Sums need no operand for a gradient, products the other ones, all others need every operand.
    std::vector<std::size_t> operands_read(std::size_t operand) const {
        const bool linear =
            op_.kind == ElementwiseKind::add || op_.kind == ElementwiseKind::subtract;
        if (!linear && layer_.inputs.size() > 3) {
            throw Refusal{"the GPU takes gradients of at most three operands"};
        }
        std::vector<std::size_t> read;
        for (std::size_t i = 0; !linear && i < layer_.inputs.size(); ++i) {
            if (op_.kind != ElementwiseKind::multiply || i != operand) {
                read.push_back(i);
            }
        }
        return read;
    }

    FoldKernels gradient_fold(std::size_t operand, const std::vector<TensorView>& inputs,
                              const TensorView& dx) const {
        const FoldShape shape = broadcast_fold(inputs, dx);
        if (inputs.size() == 1) {
            const bool negative = op_.kind == ElementwiseKind::subtract && operand == 1;
            return negative ? negative_sum_fold(shape, {inputs[0].format.type, dx.format.type})
                            : sum_fold("strata:broadcast_sum", shape,
                                       {inputs[0].format.type, dx.format.type});
        }
        std::vector<ElementType> types;
        std::ranges::transform(inputs, std::back_inserter(types),
                               [](const TensorView& view) { return view.format.type; });
        types.push_back(dx.format.type);
        return elementwise_gradient(op_.kind, static_cast<int>(operand), shape, types);
    }

    const Elementwise& op_;
};

}  // namespace

Made lower(const Layer& layer, const Elementwise& op) {
    return std::make_unique<ElementwiseLowering>(layer, op);
}

}  // namespace strata::cuda
