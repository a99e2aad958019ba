// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// Converts to another element type: to an integer towards zero, to boolean whether it is nonzero,
// to f16 and bf16 to the nearest, ties to even.
struct Cast {
    static constexpr std::string_view type = "cast";
    DataType dtype = DataType::f32;

    bool operator==(const Cast&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("dtype", self.dtype);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
};

}  // namespace strata
