// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

#include <array>

namespace strata {

// The supported functions.
enum class UnaryKind {
    exponential,
    logarithm,
    square_root,
    reciprocal,
    negate,
    absolute,
    sign,
    error_function,
    floor,
    ceil,
    round,
    sine,
    cosine,
    tangent,
    arc_sine,
    arc_cosine,
    arc_tangent,
    hyperbolic_sine,
    hyperbolic_cosine,
    inverse_hyperbolic_sine,
    inverse_hyperbolic_cosine,
    inverse_hyperbolic_tangent,
    logical_not,
    is_nan,
    is_infinite
};

inline constexpr std::array<std::string_view, 25> names_of(UnaryKind) {
    return {"exponential",
            "logarithm",
            "square_root",
            "reciprocal",
            "negate",
            "absolute",
            "sign",
            "error_function",
            "floor",
            "ceil",
            "round",
            "sine",
            "cosine",
            "tangent",
            "arc_sine",
            "arc_cosine",
            "arc_tangent",
            "hyperbolic_sine",
            "hyperbolic_cosine",
            "inverse_hyperbolic_sine",
            "inverse_hyperbolic_cosine",
            "inverse_hyperbolic_tangent",
            "logical_not",
            "is_nan",
            "is_infinite"};
}

// A mathematical function of each element; `round` takes halves to even. The last three give
// booleans. (Functions that networks use between their layers are Activation.)
struct Unary {
    static constexpr std::string_view type = "unary";
    UnaryKind kind = UnaryKind::exponential;

    bool operator==(const Unary&) const = default;

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
};

}  // namespace strata
