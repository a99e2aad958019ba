// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// Matrix product of the last two axes, the leading ones broadcast: a[...,M,K], b[...,K,N] ->
// [...,M,N]. Either operand may be a parameter.
struct MatMul {
    static constexpr std::string_view type = "matmul";
    bool transpose_a = false;
    bool transpose_b = false;

    bool operator==(const MatMul&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("transpose_a", self.transpose_a);
        visit("transpose_b", self.transpose_b);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    std::optional<Draw> draw(const Signature& signature, std::size_t operand) const;
    SumShape forward_sum(const OperandValues& values) const;
    SumShape gradient_sum(const OperandValues& values, std::size_t operand) const;
};

}  // namespace strata
