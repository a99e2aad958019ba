// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// Permutes the axes: axis i of the output is axis permutation[i] of the input.
struct Transpose {
    static constexpr std::string_view type = "transpose";
    Dims permutation = {};

    bool operator==(const Transpose&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("permutation", self.permutation);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
};

}  // namespace strata
