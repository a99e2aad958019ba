// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// Normalisation of each image by the statistics of groups of its channels (Wu and He 2018):
// x[N,C,...], scale[C], shift[C]. As many groups as channels (groups = 0) is instance
// normalisation (Ulyanov et al. 2016).
struct GroupNormalization {
    static constexpr std::string_view type = "group_normalization";
    std::int64_t groups = 0;
    double epsilon = 1e-5;
    bool affine = true;

    bool operator==(const GroupNormalization&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("groups", self.groups);
        visit("epsilon", self.epsilon);
        visit("affine", self.affine);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    SumShape forward_sum(const OperandValues& values) const;
    SumShape gradient_sum(const OperandValues& values, std::size_t operand) const;
};

}  // namespace strata
