// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// Zeroes each element with `probability` in training and scales the others by 1/(1-probability); a
// copy in inference. The mask is a function of the seed and the element's index, the same on every
// backend.
struct Dropout {
    static constexpr std::string_view type = "dropout";
    double probability = 0.5;
    std::int64_t seed = 0;

    bool operator==(const Dropout&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("probability", self.probability);
        visit("seed", self.seed);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
};

}  // namespace strata
