// SPDX-License-Identifier: MIT
#include "op/embedding.h"

#include "op/operations.h"
#include "op/shape_rule.h"

namespace strata {

std::vector<ParameterShape> Embedding::parameters(std::span<const Tensor> activations) const {
    require_operands(type, activations, 1, 1);
    require_positive(type, "rows", rows);
    require_positive(type, "width", width);
    return {{"weight", shaped(type, {rows, width}, DataType::f32)}};
}

std::vector<Tensor> Embedding::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 2, 2);
    require_indices(type, inputs[0]);
    require_parameters(type, inputs.subspan(1), parameters(inputs.first(1)));
    Dims dims = inputs[0].dims;
    dims.push_back(width);
    return {shaped(type, dims, inputs[1].dtype)};
}

// A copy; backward, each row read adds its gradient to the table's.
Operations Embedding::operations(const Signature& signature, Pass pass) const {
    return pick({.backward_weights = {.adds = count_of(signature.outputs[0])}}, signature, pass);
}

BackwardReads Embedding::reads() const {
    return {.input_for_weights = true};
}

}  // namespace strata
