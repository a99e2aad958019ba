// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

#include <array>

namespace strata {

// The element functions known.
enum class ActivationKind { relu, leaky_relu, clip, elu, sigmoid, hard_sigmoid, tanh, softplus };

inline constexpr std::array<std::string_view, 8> names_of(ActivationKind) {
    return {"relu", "leaky_relu", "clip", "elu", "sigmoid", "hard_sigmoid", "tanh", "softplus"};
}

// A function of one element. alpha and beta: the slope of leaky_relu, the scale of elu, the bounds
// of clip (alpha <= y <= beta), slope and offset of hard_sigmoid.
struct Activation {
    static constexpr std::string_view type = "activation";
    ActivationKind kind = ActivationKind::relu;
    double alpha = 0;
    double beta = 0;

    bool operator==(const Activation&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("kind", self.kind);
        visit("alpha", self.alpha);
        visit("beta", self.beta);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
};

}  // namespace strata
