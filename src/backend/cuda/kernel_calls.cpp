// SPDX-License-Identifier: MIT
#include "backend/cuda/kernel_calls.h"

#include "backend/cuda/kernels/movement.h"

namespace strata::cuda {

StridedSide side_of(const TensorView& view) {
    return {view.format.type, strides_of(view.dims, view.format.order)};
}

Order common_order(Lowering& lowering, const Layer& layer) {
    const Dims& result = lowering.dims(layer.outputs.front());
    for (const TensorId tensor : layer.inputs) {
        if (lowering.dims(tensor) == result) {
            return lowering.shaped_value(tensor).format.order;
        }
    }
    return Order::rows;
}

TensorView operand_value(Lowering& lowering, const Layer& layer, std::size_t operand, Order order) {
    const TensorId tensor = layer.inputs[operand];
    const bool whole = lowering.dims(tensor) == lowering.dims(layer.outputs.front());
    const Role role = lowering.graph().tensors[tensor].role;
    const bool is_master = role == Role::parameter && lowering.trains();
    const ElementType type = is_master ? ElementType::f32 : lowering.element_type(tensor);
    return lowering.value(tensor, {type, whole ? order : Order::rows});
}

bool receives_gradient(const Lowering& lowering, const Layer& layer, std::size_t operand,
                       Role role) {
    const TensorId tensor = layer.inputs[operand];
    const bool is_parameter = lowering.graph().tensors[tensor].role == Role::parameter;
    return lowering.needs_gradient(tensor) && is_parameter == (role == Role::parameter);
}

Format gradient_format(const Lowering& lowering, TensorId tensor, Order order) {
    const bool is_parameter = lowering.graph().tensors[tensor].role == Role::parameter;
    return {is_parameter ? ElementType::f32 : lowering.element_type(tensor), order};
}

FoldShape broadcast_fold(const std::vector<TensorView>& inputs, const TensorView& dx) {
    const Dims& extents = inputs[0].dims;
    FoldShape shape = {.extents = extents};
    for (const TensorView& view : inputs) {
        shape.inputs.push_back(broadcast_strides(view, extents));
    }
    shape.output = broadcast_strides(dx, extents);
    const std::size_t missing = extents.size() - dx.dims.size();
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        const std::int64_t own = axis < missing ? 1 : dx.dims[axis - missing];
        shape.folded.push_back(own != extents[axis]);
    }
    return shape;
}

std::vector<Call> fold_calls(Lowering& lowering, FoldKernels fold, std::vector<TensorView> inputs,
                             const std::vector<TensorView>& outputs) {
    if (fold.kernels.size() == 1) {
        inputs.insert(inputs.end(), outputs.begin(), outputs.end());
        return {Call{std::move(fold.kernels[0]), std::move(inputs)}};
    }
    const TensorView partials = lowering.make_transient({fold.partials}, {ElementType::f32});
    inputs.push_back(partials);
    std::vector<TensorView> joined = {partials};
    joined.insert(joined.end(), outputs.begin(), outputs.end());
    return {Call{std::move(fold.kernels[0]), std::move(inputs)},
            Call{std::move(fold.kernels[1]), std::move(joined)}};
}

Dims broadcast_strides(const Dims& dims, const Dims& strides, const Dims& result) {
    Dims broadcast(result.size(), 0);
    const std::size_t missing = result.size() - dims.size();
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        broadcast[missing + axis] = dims[axis] == 1 ? 0 : strides[axis];
    }
    return broadcast;
}

Dims broadcast_strides(const TensorView& view, const Dims& result) {
    return broadcast_strides(view.dims, strides_of(view.dims, view.format.order), result);
}

std::vector<Call> scattered_gradient(Lowering& lowering, const TensorView& gradient,
                                     const std::function<Call(const TensorView& sum)>& add) {
    const bool is_narrow = gradient.format.type != ElementType::f32;
    const std::int64_t count = product(gradient.dims);
    const TensorView sum = is_narrow ? lowering.make_transient(
                                           gradient.dims, {ElementType::f32, gradient.format.order})
                                     : gradient;
    std::vector<Call> calls = {{fill("strata:zero", count, ElementType::f32, 0), {sum}}, add(sum)};
    if (is_narrow) {
        calls.push_back({strided_copy("strata:narrow", {count}, {ElementType::f32, {1}},
                                      {gradient.format.type, {1}}),
                         {sum, gradient}});
    }
    return calls;
}

}  // namespace strata::cuda
