// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// The k largest (or smallest) elements along one axis in order, and their positions as s64. Equal
// elements keep their order.
struct TopK {
    static constexpr std::string_view type = "top_k";
    std::int64_t k = 1;
    std::int64_t axis = -1;
    bool largest = true;

    bool operator==(const TopK&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("k", self.k);
        visit("axis", self.axis);
        visit("largest", self.largest);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
};

}  // namespace strata
