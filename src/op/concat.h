// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// Concatenates tensors along an axis.
struct Concat {
    static constexpr std::string_view type = "concat";
    std::int64_t axis = 1;

    bool operator==(const Concat&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("axis", self.axis);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
};

}  // namespace strata
