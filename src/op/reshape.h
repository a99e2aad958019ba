// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// The same elements in other extents: 0 copies the input's extent, one -1 is inferred. Flatten,
// squeeze and unsqueeze are reshapes. No data moves.
struct Reshape {
    static constexpr std::string_view type = "reshape";
    Dims dims = {};

    bool operator==(const Reshape&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("dims", self.dims);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
};

}  // namespace strata
