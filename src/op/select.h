// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// condition ? a : b by element, all three broadcast as NumPy does; a nonzero condition is
// true.
struct Select {
    static constexpr std::string_view type = "select";

    bool operator==(const Select&) const = default;

    template <class Self, class Visitor>
    static void fields(Self&, Visitor&&) {}

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    SumShape gradient_sum(const OperandValues& values, std::size_t operand) const;
};

}  // namespace strata
