// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// Repeats a tensor along axes of extent 1 and along new leading axes to these extents (NumPy's
// broadcast_to).
struct Expand {
    static constexpr std::string_view type = "expand";
    Dims dims = {};

    bool operator==(const Expand&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("dims", self.dims);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    SumShape gradient_sum(const OperandValues& values, std::size_t operand) const;
};

}  // namespace strata
