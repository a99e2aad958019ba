// SPDX-License-Identifier: MIT
#include "op/matmul.h"

#include "op/rules.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace strata {

namespace {

// Rows and columns of an operand's matrices after its transposition.
std::pair<std::int64_t, std::int64_t> matrix_of(const Tensor& tensor, bool transposed) {
    const auto rank = tensor.dims.size();
    std::pair matrix(tensor.dims[rank - 2], tensor.dims[rank - 1]);
    return transposed ? std::pair(matrix.second, matrix.first) : matrix;
}

Dims leading(const Tensor& tensor) {
    return Dims(tensor.dims.begin(), tensor.dims.end() - 2);
}

double products_of(const MatMul& matmul, const Signature& signature) {
    const auto [rows, depth] = matrix_of(signature.inputs[0].tensor, matmul.transpose_a);
    return count_of(signature.outputs[0]) * static_cast<double>(depth);
}

}  // namespace

std::vector<ParameterShape> MatMul::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> MatMul::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 2, 2);
    require_rank(type, inputs[0], 2);
    require_rank(type, inputs[1], 2);
    const auto [rows, depth] = matrix_of(inputs[0], transpose_a);
    const auto [other_depth, columns] = matrix_of(inputs[1], transpose_b);
    if (depth != other_depth) {
        refuse(type,
               fmt::format("{} times {} do not fit: the inner extents are {} and {}",
                           to_text(inputs[0].dims), to_text(inputs[1].dims), depth, other_depth));
    }
    Dims dims = broadcast(type, std::array{leading(inputs[0]), leading(inputs[1])});
    dims.insert(dims.end(), {rows, columns});
    return {shaped(type, dims, inputs[0].dtype)};
}

// da = dy * b and db = a * dy: each costs one forward pass and belongs to backward_data if the
// operand is an activation, to backward_weights if it is a parameter.
Operations MatMul::operations(const Signature& signature, Pass pass) const {
    const double products = products_of(*this, signature);
    double for_data = 0, for_weights = 0;
    for (const Operand& operand : signature.inputs) {
        for_data += receives_gradient(operand) ? products : 0;
        for_weights += operand.role == Role::parameter ? products : 0;
    }
    return pick({.forward = {.multiply_adds = products},
                 .backward_data = {.multiply_adds = for_data},
                 .backward_weights = {.multiply_adds = for_weights}},
                signature, pass);
}

BackwardReads MatMul::reads() const {
    return {.input_for_data = true,
            .parameters_for_data = true,
            .input_for_weights = true,
            .only_others_for_data = true};
}

std::optional<Draw> MatMul::draw(const Signature& signature, std::size_t operand) const {
    if (!is_owned(signature.inputs[operand].role)) {
        return {};
    }
    const Tensor& tensor = signature.inputs[operand].tensor;
    const std::size_t rank = tensor.dims.size();
    const bool last = operand == 0 ? !transpose_a : transpose_b;
    return he_normal(rank < 2 ? tensor.elements() : tensor.dims[last ? rank - 1 : rank - 2]);
}

SumShape MatMul::forward_sum(const OperandValues& values) const {
    const auto [rows, depth] = matrix_of(values.signature.inputs[0].tensor, transpose_a);
    return {static_cast<double>(depth), values.rms(0) * values.rms(1)};
}

// An element of da sums over the elements of dy in its row and over its broadcast copies.
SumShape MatMul::gradient_sum(const OperandValues& values, std::size_t operand) const {
    const double products = products_of(*this, values.signature);
    return {products / values.elements(operand), values.rms_gradient() * values.rms(1 - operand)};
}

}  // namespace strata
