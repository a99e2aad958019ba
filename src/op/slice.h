// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// Every step-th element along some axes: y[i] = x[start + i * step] for `extent` elements, with 0
// <= start and a step of either sign.
struct Slice {
    static constexpr std::string_view type = "slice";
    Dims axes = {};
    Dims starts = {};
    Dims extents = {};
    Dims steps = {};  // empty: 1 everywhere

    bool operator==(const Slice&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("axes", self.axes);
        visit("starts", self.starts);
        visit("extents", self.extents);
        visit("steps", self.steps);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
};

}  // namespace strata
