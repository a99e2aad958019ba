// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

#include <array>

namespace strata {

// The functions known.
enum class ElementwiseKind { add, multiply, subtract, divide, maximum, minimum };

inline constexpr std::array<std::string_view, 6> names_of(ElementwiseKind) {
    return {"add", "multiply", "subtract", "divide", "maximum", "minimum"};
}

// A function of the elements of two or more tensors (exactly two for subtract and divide),
// broadcast as NumPy does.
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
};

}  // namespace strata
