// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

#include <array>

namespace strata {

// The supported element functions. gelu is x times the normal distribution's integral (Hendrycks
// and Gimpel 2016), gelu_tanh the approximation by tanh that they give; silu x sigmoid(x); mish x
// tanh(softplus x); softsign x / (1 + |x|); hard_swish x clamp(x / 6 + 1/2, 0, 1).
enum class ActivationKind {
    relu,
    leaky_relu,
    clip,
    elu,
    sigmoid,
    hard_sigmoid,
    tanh,
    softplus,
    gelu,
    gelu_tanh,
    silu,
    hard_swish,
    mish,
    softsign,
    selu,
    celu,
    thresholded_relu
};

inline constexpr std::array<std::string_view, 17> names_of(ActivationKind) {
    return {"relu",
            "leaky_relu",
            "clip",
            "elu",
            "sigmoid",
            "hard_sigmoid",
            "tanh",
            "softplus",
            "gelu",
            "gelu_tanh",
            "silu",
            "hard_swish",
            "mish",
            "softsign",
            "selu",
            "celu",
            "thresholded_relu"};
}

// A function of one element. alpha and beta: the slope of leaky_relu, the scale of elu and celu,
// the bounds of clip (alpha <= y <= beta), slope and offset of hard_sigmoid, selu's alpha and
// gamma, the threshold of thresholded_relu.
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
    std::string kind_name() const;
};

}  // namespace strata
