// SPDX-License-Identifier: MIT
#include "backend/cuda/fold_calls.h"

namespace strata::cuda {

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

}  // namespace strata::cuda
