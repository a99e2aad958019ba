// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// Takes slices of a tensor along one axis by index: data[a..., axis, b...], indices[i...] of an
// integer type -> y[a..., i..., b...]. An index below zero counts from the end.
struct Gather {
    static constexpr std::string_view type = "gather";
    std::int64_t axis = 0;

    bool operator==(const Gather&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("axis", self.axis);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    std::optional<std::int64_t> rows_indexed(const Signature& signature, std::size_t operand) const;
    SumShape gradient_sum(const OperandValues& values, std::size_t operand) const;
};

}  // namespace strata
