// SPDX-License-Identifier: MIT
#include "backend/cuda/broadcast.h"

namespace strata::cuda {

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

}  // namespace strata::cuda
