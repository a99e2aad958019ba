// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// 1 at the largest element along one axis (negative counts from the end), 0 elsewhere. Among equal
// elements the first counts as the largest; NaN is larger than all numbers. The gradient is 0.
struct Hardmax {
    static constexpr std::string_view type = "hardmax";
    std::int64_t axis = -1;

    bool operator==(const Hardmax&) const = default;

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
