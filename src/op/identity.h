// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// A copy, like DNNMark's bypass layer.
struct Identity {
    static constexpr std::string_view type = "identity";

    bool operator==(const Identity&) const = default;

    template <class Self, class Visitor>
    static void fields(Self&, Visitor&&) {}

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
};

}  // namespace strata
