// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

#include <array>

namespace strata {

// The elements that share one mean and one variance.
enum class NormalizationScope { spatial, per_activation };

inline constexpr std::array<std::string_view, 2> names_of(NormalizationScope) {
    return {"spatial", "per_activation"};
}

// Normalisation by the statistics of the batch (Ioffe and Szegedy 2015): x[N,C,...], scale[C],
// shift[C], mean[C], variance[C] -> y. Training uses the batch's own statistics and updates the
// running ones; inference uses the running ones. `per_activation` has one statistic per element of
// an image.
struct BatchNormalization {
    static constexpr std::string_view type = "batch_normalization";
    double epsilon = 1e-5;
    double momentum = 0.9;
    NormalizationScope scope = NormalizationScope::spatial;

    bool operator==(const BatchNormalization&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("epsilon", self.epsilon);
        visit("momentum", self.momentum);
        visit("scope", self.scope);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    SumShape forward_sum(const OperandValues& values) const;
    SumShape gradient_sum(const OperandValues& values, std::size_t operand) const;
    SumShape statistic_sum(const OperandValues& values, std::size_t operand) const;
};

}  // namespace strata
