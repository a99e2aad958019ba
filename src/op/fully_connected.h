// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// Inner product over all axes but the first: x[N,...], weight[out,in], bias[out] -> y[N,out].
struct FullyConnected {
    static constexpr std::string_view type = "fully_connected";
    std::int64_t out_features = 0;
    bool bias = true;

    bool operator==(const FullyConnected&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("out_features", self.out_features);
        visit("bias", self.bias);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    SumShape forward_sum(const OperandValues& values) const;
    SumShape gradient_sum(const OperandValues& values, std::size_t operand) const;
};

}  // namespace strata
