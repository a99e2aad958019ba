// SPDX-License-Identifier: MIT
#include "op/gather.h"

#include "op/rules.h"

namespace strata {

std::vector<ParameterShape> Gather::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Gather::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 2, 2);
    require_rank(type, inputs[0], 1);
    require_indices(type, inputs[1]);
    const Dims& data = inputs[0].dims;
    const auto along = static_cast<std::ptrdiff_t>(axis_index(type, axis, data.size()));
    Dims dims(data.begin(), data.begin() + along);
    dims.insert(dims.end(), inputs[1].dims.begin(), inputs[1].dims.end());
    dims.insert(dims.end(), data.begin() + along + 1, data.end());
    return {shaped(type, dims, inputs[0].dtype)};
}

// Forward is a copy; backward adds each slice's gradient to the slice it was read from.
Operations Gather::operations(const Signature& signature, Pass pass) const {
    const Operations sums = {.adds = count_of(signature.outputs[0])};
    return pick({.backward_data = sums, .backward_weights = sums}, signature, pass);
}

// Only the indices are read.
BackwardReads Gather::reads() const {
    return {.input_for_data = true, .input_for_weights = true, .only_others_for_data = true};
}

std::optional<std::int64_t> Gather::rows_indexed(const Signature& signature,
                                                 std::size_t operand) const {
    const Dims& dims = signature.inputs[0].tensor.dims;
    return operand == 1 ? std::optional(dims[axis_index(type, axis, dims.size())]) : std::nullopt;
}

// At worst all indices name one row; if all differ, no sum is larger than a gradient.
SumShape Gather::gradient_sum(const OperandValues& values, std::size_t) const {
    return mean_of(values.elements(1), values.rms_gradient());
}

}  // namespace strata
