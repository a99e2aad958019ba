// SPDX-License-Identifier: MIT
#pragma once

#include "op/draw.h"
#include "op/rounding.h"
#include "op/tensor.h"
#include "op/work.h"

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// An operand of an operator other than its activations: a weight, bias, or running mean.
struct ParameterShape {
    std::string name;  // "weight", "bias", "scale", "shift", "mean", "variance", "labels"
    Tensor tensor;
    Role role = Role::parameter;
};

// What every operator must say of itself. An operator is a plain struct of attributes with
//   type            the name used in text, JSON and messages
//   fields(o, v)    calls v(name, attribute) for each attribute: text, JSON and hashing come of it
//   parameters(a)   the further operands it needs, given its activations; they follow them in order
//   outputs(i)      the shape rule over all operands; throws Error where shapes do not fit
//   operations(s, p) arithmetic of a pass, by kind
//   reads()         what its backward passes read again
// and, where the common rule does not fit it,
//   kind_name()          a finer name than its type: "relu"; else the type
//   draw(s, operand)     how an operand's values are drawn; nothing, or else by the operand's name
//   rows_indexed(s, operand)   rows that an operand's values name; nothing, or else: it is no index
//   saved_bytes(s)       what forward leaves for backward; else by reads(), for each result
//   forward_sum(v)       the sum that an element of the first result is; else none
//   gradient_sum(v, operand)   the same of a gradient; else the result's gradient, times a slope
//   statistic_sum(v, operand)  the same of a renewed running statistic; else as long as forward's
// clang-format off: version 14 indents a concept as if it were code after it.
template <class T>
concept Operator = std::equality_comparable<T> &&
    requires(const T& op, std::span<const Tensor> tensors, const Signature& signature, Pass pass) {
    { T::type } -> std::convertible_to<std::string_view>;
    { op.parameters(tensors) } -> std::same_as<std::vector<ParameterShape>>;
    { op.outputs(tensors) } -> std::same_as<std::vector<Tensor>>;
    { op.operations(signature, pass) } -> std::same_as<Operations>;
    { op.reads() } -> std::same_as<BackwardReads>;
};
// clang-format on

}  // namespace strata
