// SPDX-License-Identifier: MIT
#include "op/embedding.h"

#include "op/rules.h"

#include <cmath>

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

// Forward is a copy; backward adds the gradient of each row read to the table's.
Operations Embedding::operations(const Signature& signature, Pass pass) const {
    return pick({.backward_weights = {.adds = count_of(signature.outputs[0])}}, signature, pass);
}

BackwardReads Embedding::reads() const {
    return {.input_for_weights = true};
}

// Standard deviation 1 / sqrt(width) (Vaswani et al. 2017).
std::optional<Draw> Embedding::draw(const Signature& signature, std::size_t operand) const {
    if (!is_owned(signature.inputs[operand].role)) {
        return {};
    }
    return Draw{Distribution::normal, 1 / std::sqrt(static_cast<double>(width))};
}

std::optional<std::int64_t> Embedding::rows_indexed(const Signature&, std::size_t operand) const {
    return operand == 0 ? std::optional(rows) : std::nullopt;
}

// A row sums the gradients of all indices that name it: at worst, all.
SumShape Embedding::gradient_sum(const OperandValues& values, std::size_t) const {
    return {.length = values.elements(0)};
}

}  // namespace strata
