// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// Local response normalisation across channels (Krizhevsky 2012, with Caffe's and ONNX's scaling):
// y = x * (k + alpha / size * sum of x^2 over `size` neighbouring channels) ^ -beta.
struct Lrn {
    static constexpr std::string_view type = "lrn";
    std::int64_t size = 5;
    double alpha = 1e-4;
    double beta = 0.75;
    double k = 1.0;

    bool operator==(const Lrn&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("size", self.size);
        visit("alpha", self.alpha);
        visit("beta", self.beta);
        visit("k", self.k);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    SumShape gradient_sum(const OperandValues& values, std::size_t operand) const;
};

}  // namespace strata
