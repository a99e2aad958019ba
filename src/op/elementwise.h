// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

#include <array>

namespace strata {

// The supported functions. remainder has the divisor's sign; prelu is a > 0 ? a : a b. Those from
// `equal` on give booleans and pass no gradient.
enum class ElementwiseKind {
    add,
    multiply,
    subtract,
    divide,
    maximum,
    minimum,
    power,
    remainder,
    prelu,
    equal,
    less,
    less_or_equal,
    greater,
    greater_or_equal,
    logical_and,
    logical_or,
    logical_xor
};

inline constexpr std::array<std::string_view, 17> names_of(ElementwiseKind) {
    return {
        "add",     "multiply",         "subtract",    "divide",     "maximum",    "minimum",
        "power",   "remainder",        "prelu",       "equal",      "less",       "less_or_equal",
        "greater", "greater_or_equal", "logical_and", "logical_or", "logical_xor"};
}

constexpr bool gives_boolean(ElementwiseKind kind) {
    return kind >= ElementwiseKind::equal;
}

// Whether the function takes exactly two operands rather than any number.
constexpr bool is_binary(ElementwiseKind kind) {
    return kind == ElementwiseKind::subtract || kind == ElementwiseKind::divide ||
           kind >= ElementwiseKind::power;
}

// A function of the elements of two or more tensors, broadcast as NumPy does.
struct Elementwise {
    static constexpr std::string_view type = "elementwise";
    ElementwiseKind kind = ElementwiseKind::add;

    bool operator==(const Elementwise&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("kind", self.kind);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    std::string kind_name() const;
    std::optional<Draw> draw(const Signature& signature, std::size_t operand) const;
    SumShape forward_sum(const OperandValues& values) const;
    SumShape gradient_sum(const OperandValues& values, std::size_t operand) const;
};

}  // namespace strata
