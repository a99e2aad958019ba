// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// exp(x) / sum of exp(x) along one axis (negative counts from the end), or its logarithm.
struct Softmax {
    static constexpr std::string_view type = "softmax";
    std::int64_t axis = 1;
    bool logarithm = false;

    bool operator==(const Softmax&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("axis", self.axis);
        visit("logarithm", self.logarithm);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    std::string kind_name() const;
};

}  // namespace strata
