// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// Looks up rows of a table by index: indices[...] of an integer type -> y[..., width];
// weight[rows,width]. An index from -rows to -1 counts from the end.
struct Embedding {
    static constexpr std::string_view type = "embedding";
    std::int64_t rows = 0;
    std::int64_t width = 0;

    bool operator==(const Embedding&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("rows", self.rows);
        visit("width", self.width);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    std::optional<Draw> draw(const Signature& signature, std::size_t operand) const;
    std::optional<std::int64_t> rows_indexed(const Signature& signature, std::size_t operand) const;
    SumShape gradient_sum(const OperandValues& values, std::size_t operand) const;
};

}  // namespace strata
