// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// A node that no backend can compute. It keeps its place in the network, its shapes and work if
// they are known, and the reason that every backend reports when it skips the node. It has no shape
// rule: the code that adds it states its output shapes.
struct Opaque {
    static constexpr std::string_view type = "opaque";
    std::string foreign_type = {};
    std::string reason = {};
    bool is_counted = false;  // whether the work below is known; if not, it is missing and not 0
    Operations work = {};     // in the forward pass

    bool operator==(const Opaque&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("foreign_type", self.foreign_type);
        visit("reason", self.reason);
        visit("counted", self.is_counted);
        visit("multiply_adds", self.work.multiply_adds);
        visit("adds", self.work.adds);
        visit("multiplies", self.work.multiplies);
        visit("divides", self.work.divides);
        visit("compares", self.work.compares);
        visit("transcendentals", self.work.transcendentals);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    std::string kind_name() const;
};

}  // namespace strata
