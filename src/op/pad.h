// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

#include <array>

namespace strata {

// The values of the added elements.
enum class PadKind { constant, reflect, edge };

inline constexpr std::array<std::string_view, 3> names_of(PadKind) {
    return {"constant", "reflect", "edge"};
}

// Elements added before and after each axis (negative extents crop).
struct Pad {
    static constexpr std::string_view type = "pad";
    Dims begin = {};
    Dims end = {};
    double value = 0;
    PadKind kind = PadKind::constant;

    bool operator==(const Pad&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("begin", self.begin);
        visit("end", self.end);
        visit("value", self.value);
        visit("kind", self.kind);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
};

}  // namespace strata
