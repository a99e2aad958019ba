// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"
#include "op/tensor.h"

#include <cstddef>

namespace strata {

// Helpers of the shape rules. Each throws Error with one sentence that begins with the operator's
// name; the caller prepends the layer's name.

// The largest stride, kernel, pad or other attribute that counts elements along one axis. Up to
// this bound no sum or product of two attributes overflows.
inline constexpr std::int64_t max_attribute = std::int64_t{1} << 30;

// The operand limit of an operator that takes any number.
inline constexpr std::size_t any_number = static_cast<std::size_t>(-1);

// "convolution: <sentence>".
[[noreturn]] void refuse(std::string_view type, const std::string& sentence);

// Requires least <= number of operands <= most, each with elements that can be counted.
void require_operands(std::string_view type, std::span<const Tensor> inputs, std::size_t minimum,
                      std::size_t maximum);

void require_rank(std::string_view type, const Tensor& tensor, std::size_t minimum);

// Indices of rows or positions must be of an integer type.
void require_indices(std::string_view type, const Tensor& tensor);

// An attribute that must be 1 ... max_attribute, such as a number of channels.
void require_positive(std::string_view type, std::string_view attribute, std::int64_t value);

// The operands after the activations must have the shapes that the operator requested.
void require_parameters(std::string_view type, std::span<const Tensor> operands,
                        std::span<const ParameterShape> expected);

// A tensor whose extents are all positive and whose elements can be counted.
Tensor shaped(std::string_view type, Dims dims, DataType dtype);

// The index of an axis that may count from the end.
std::size_t axis_index(std::string_view type, std::int64_t axis, std::size_t rank);

// The common shape of several by NumPy's broadcasting: aligned at the last axis, an extent of 1
// stretches. `type` names the operator in the Error thrown if they do not fit.
Dims broadcast(std::string_view type, std::span<const Dims> shapes);

// Helpers that count operations and bytes.

// The arithmetic of the passes that differ between operators.
struct PassOperations {
    Operations forward = {};
    Operations backward_data = {};
    Operations backward_weights = {};
};

// The arithmetic of one pass. The update belongs to the optimizer: `update_work`.
Operations pick(const PassOperations& operations, const Signature& signature, Pass pass);

// `each` operations, `count` times over.
Operations times(double count, Operations each);

// The number of elements as a count; exact up to 2^53.
double count_of(const Tensor& tensor);

// Whether d(loss)/d(operand) exists and backward_data computes it: activations and inputs of a
// floating type.
bool receives_gradient(const Operand& operand);

}  // namespace strata
