// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// Mean over the batch of -log softmax(x)[label]: x[N,C], labels[N] -> a scalar. The network's
// backward pass starts here: dx = (softmax(x) - onehot(label)) / N.
struct SoftmaxCrossEntropy {
    static constexpr std::string_view type = "softmax_cross_entropy";

    bool operator==(const SoftmaxCrossEntropy&) const = default;

    template <class Self, class Visitor>
    static void fields(Self&, Visitor&&) {}

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    SumShape gradient_sum(const OperandValues& values, std::size_t operand) const;
};

}  // namespace strata
